import { describe, expect, test } from 'vitest';

import { readEnvelope, readListEnvelope } from '../../functions/clink/envelope.ts';
import { JsonNumber } from '../../functions/clink/json.ts';

describe('readEnvelope', () => {
  test('gives the data of a success, with exact numbers', () => {
    expect(readEnvelope(true, '{"code":200,"msg":"success","data":{"amountTotal":1.10}}')).toEqual({
      kind: 'data',
      data: { amountTotal: new JsonNumber('1.10') },
    });
  });

  test.each([
    ['no JSON', 'Service starting'],
    ['nothing', ''],
    ['an array', '[{"code":200}]'],
    ['a text', '"success"'],
    ['no code', '{"msg":"success","data":{}}'],
    ['a code that is text', '{"code":"200","data":{}}'],
    ['no data', '{"code":200,"msg":"success"}'],
    ['null data', '{"code":200,"msg":"success","data":null}'],
    ['array data', '{"code":200,"msg":"success","data":[]}'],
    ['number data', '{"code":200,"msg":"success","data":1}'],
  ])('a success with %s cannot be read', (_what, text) => {
    expect(readEnvelope(true, text)).toEqual({ kind: 'unreadable' });
  });

  test.each([
    [true, '{"code":500,"msg":"a@example.test","data":null}', 500],
    [true, '{"code":0,"msg":"success","data":{}}', 0],
    [true, '{"code":80100263,"msg":"taken"}', 80_100_263],
    [true, '{"code":500,"msg":"CUSTOMER_IDENTIFIER_NOT_MATCHED"}', 'CUSTOMER_IDENTIFIER_NOT_MATCHED'],
    [true, '{"msg":"CUSTOMER_NOT_FOUND"}', 'CUSTOMER_NOT_FOUND'],
    [false, '{"code":200,"msg":"success","data":{}}', 200],
    [false, '{"code":400,"message":"bad"}', 400],
    [false, 'Unauthorized', null],
    [false, '{"code":1e400}', null],
  ])('a refusal keeps its code and nothing else (HTTP ok %s, %s)', (httpOk, text, code) => {
    expect(readEnvelope(httpOk, text)).toEqual({ kind: 'refused', code });
  });
});

describe('readListEnvelope', () => {
  test('gives the rows of a list, which has no data', () => {
    expect(readListEnvelope(true, '{"total":1,"rows":[{"orderId":"order_1"}],"code":200,"msg":"success"}')).toEqual({
      kind: 'rows',
      total: 1,
      rows: [{ orderId: 'order_1' }],
    });
  });

  test('an empty list is a list', () => {
    expect(readListEnvelope(true, '{"rows":[],"code":200}')).toEqual({ kind: 'rows', total: null, rows: [] });
  });

  test.each(['{"code":200,"data":{}}', '{"code":200,"rows":{}}', '{"code":200,"rows":[1]}', '[]'])(
    'cannot be read: %s',
    (text) => {
      expect(readListEnvelope(true, text)).toEqual({ kind: 'unreadable' });
    },
  );

  test('a refusal is one here too', () => {
    expect(readListEnvelope(true, '{"code":401,"msg":"no"}')).toEqual({ kind: 'refused', code: 401 });
  });
});
