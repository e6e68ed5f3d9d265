import type { Sql } from '../../functions/database/connection.ts';

export interface WatchedSql {
  readonly sql: Sql;
  /** Texts of the statements that went out beside transactions. */
  readonly sent: string[];
}

/** The database, with its statements written down, and those refused that contain the given text. */
export function watchedSql(sql: Sql, refused?: string): WatchedSql {
  const sent: string[] = [];
  const watched = new Proxy(sql, {
    apply(target, self, args: unknown[]) {
      const [parts] = args;
      if (!Array.isArray(parts) || !('raw' in parts)) return Reflect.apply(target, self, args);
      const text = parts.join('?');
      // Part of another statement, not one of its own.
      if (!/^\s*(SELECT|UPDATE|INSERT)/.test(text)) return Reflect.apply(target, self, args);
      sent.push(text);
      if (refused !== undefined && text.includes(refused)) {
        return Promise.reject(Object.assign(new Error('refused'), { name: 'PostgresError', code: '57014' }));
      }
      return Reflect.apply(target, self, args);
    },
  });
  return { sql: watched, sent };
}
