import pg from 'pg'

/** Runs one statement on a connection of its own; the first column of its first row, undefined where there is none. */
export async function query(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<Readonly<Record<string, unknown>>>(sql)
    return Object.values(rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}
