import pg from 'pg'

/** Makes one query on a connection of its own, past the programs. Rejects where the database cannot be reached. */
export async function askDatabase<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 })
  // A server that is killed ends the connection as well as the query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
