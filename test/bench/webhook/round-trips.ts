import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { connect } from '../../../functions/database/connection.ts';
import { type Deliver, type History, handlerOf, type Receive } from './histories.ts';
import { startLine } from './line.ts';

/** Round trips to the database that a delivery takes. */
export interface RoundTrips {
  /** On a connection that has seen its like before. */
  readonly warm: Each;
  /** Where the connection is opened for it. */
  readonly fresh: Each;
}

interface Each {
  readonly created: number;
  readonly succeeded: number;
}

export async function countRoundTrips(
  databaseUrl: string,
  receive: Receive,
  [first, second, third]: readonly [History, History, History],
): Promise<RoundTrips> {
  const line = await startLine(databaseUrl);
  const cost = async (deliver: Deliver, delivery: APIGatewayProxyEventV2) => {
    const before = line.roundTrips;
    await deliver(delivery);
    return line.roundTrips - before;
  };
  const costOfFresh = (delivery: APIGatewayProxyEventV2) => overConnection((deliver) => cost(deliver, delivery));

  async function overConnection<T>(use: (deliver: Deliver) => Promise<T>): Promise<T> {
    const sql = connect({ url: line.url, max: 1 });
    try {
      return await use(handlerOf((event, body) => receive(sql, event, body)));
    } finally {
      await sql.end();
    }
  }

  try {
    const fresh = { created: await costOfFresh(first[0]), succeeded: await costOfFresh(first[1]) };
    const warm = await overConnection(async (deliver) => {
      for (const delivery of second) await deliver(delivery);
      return { created: await cost(deliver, third[0]), succeeded: await cost(deliver, third[1]) };
    });
    return { warm, fresh };
  } finally {
    await line.close();
  }
}
