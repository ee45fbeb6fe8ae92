import type { Database } from '@farebox/server/src/postgres/connect'
import type pg from 'pg'

/** A database whose connection breaks after this many statements of a transaction. */
export function dyingAfter(database: Database, statements: number): Database {
  return {
    ...database,
    inTransaction: steps =>
      database.inTransaction(async client => {
        let left = statements
        const query = client.query.bind(client) as (...words: unknown[]) => unknown
        const dying = new Proxy(client, {
          get: (target, key) =>
            key === 'query'
              ? (...words: unknown[]) => {
                  if (left === 0) throw new Error('died')
                  left -= 1
                  return query(...words)
                }
              : Reflect.get(target, key),
        })
        return await steps(dying satisfies pg.PoolClient)
      }),
  }
}
