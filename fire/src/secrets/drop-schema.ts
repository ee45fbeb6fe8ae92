import pg from 'pg'

/** Removes what programs have made in a database. */
export async function dropSchema(databaseUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`drop schema if exists ${schema} cascade`)
  await client.end()
}
