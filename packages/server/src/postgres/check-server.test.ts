import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { EnvironmentError } from '../environment.ts'
import { checkServer } from './check-server.ts'

const connectionString = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

test('PostgreSQL is accepted, also with a single connection in the pool', async () => {
  expect(await refusal(connectionString)).toBeUndefined()
})

test.each([
  ['CockroachDB', /^PostgreSQL/, 'Cockroach '],
  ['YugabyteDB', /(?<=^PostgreSQL \d+(?:\.\d+)?).{10}/, '-YB-2.25.0'],
])('%s is refused by its reported name', async (_, said, lie) => {
  const version = await ask('select version() as said')
  const answers: Rewriting = [[said.exec(version)?.[0] ?? '', lie]]
  const why = await refusal(await rewrite({ answers }))
  expect(why).toMatch(/^DATABASE_URL must lead to PostgreSQL 14 or newer, .*: this server says that it is "/)
  expect(why).toContain(lie)
})

test('a release before PostgreSQL 14 is refused', async () => {
  const number = await ask(`select current_setting('server_version_num') as said`)
  const why = await refusal(await rewrite({ answers: [[number, '130022']] }))
  expect(why).toMatch(/^DATABASE_URL .*: this server has version "PostgreSQL /)
})

// A boolean column in the answers: one field of one byte.
const NO = '\0\u0001\0\0\0\u0001f'
const YES = '\0\u0001\0\0\0\u0001t'

test('a server whose advisory locks have no effect is refused, although it says that it is PostgreSQL', async () => {
  // Like CockroachDB: each statement is accepted, and nothing is locked.
  const questions: Rewriting = [
    ['select pg_advisory_xact_lock($1::bigint)', 'select greatest(1,2,3)::bigint+$1::int8 '],
  ]
  expect(await refusal(await rewrite({ questions }))).toMatch(/two transactions held the same one/)
  expect(await refusal(await rewrite({ answers: [[NO, YES]] }))).toMatch(/two transactions held the same one/)
})

test('a server whose advisory locks never end is refused', async () => {
  expect(await refusal(await rewrite({ answers: [[YES, NO]] }))).toMatch(/do not end with their transactions/)
})

test('a server without advisory locks is refused with its own message', async () => {
  const questions: Rewriting = [['pg_advisory_xact_lock', 'pg_advisory_xact_lack']]
  expect(await refusal(await rewrite({ questions }))).toMatch(
    /advisory locks of this server do not work \(function pg_advisory_xact_lack\(bigint\) does not exist\)/,
  )
})

test('a server that understands no query is refused', async () => {
  // Accepts every login, is ready, and answers "command complete" without a row.
  const bytes = 'R\0\0\0\u0008\0\0\0\0Z\0\0\0\u0005IC\0\0\0\u000bSELECT\0Z\0\0\0\u0005I'
  const why = await refusal(await serve(socket => socket.once('data', () => socket.end(bytes, 'latin1'))))
  expect(why).toMatch(/this server does not answer as PostgreSQL does/)
})

test('a web server fails the check', async () => {
  const url = await serve(socket => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  await expect(refusal(url)).rejects.toThrow()
})

type Rewriting = readonly (readonly [from: string, to: string])[]

/** PostgreSQL behind a proxy that replaces text in its messages, by text of the same length. Resolves to its URL. */
async function rewrite(replacing: {
  readonly questions?: Rewriting
  readonly answers?: Rewriting
}): Promise<string> {
  const { hostname, port } = new URL(connectionString)
  return await serve(socket => {
    const server = connect(Number(port || 5_432), hostname)
    pass(socket, server, replacing.questions ?? [])
    pass(server, socket, replacing.answers ?? [])
  })
}

function pass(from: Socket, to: Socket, replacing: Rewriting): void {
  from.on('data', chunk => {
    let text = chunk.toString('latin1')
    for (const [said, lie] of replacing) {
      if (lie.length !== said.length) throw new Error(`${lie} is not as long as ${said}`)
      text = text.replaceAll(said, lie)
    }
    to.write(Buffer.from(text, 'latin1'))
  })
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}

async function serve(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    answer(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const url = new URL(connectionString)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return url.href
}

/** Why the server is refused; undefined when it is accepted. */
async function refusal(url: string): Promise<string | undefined> {
  return await inPool(url, async pool => {
    try {
      await checkServer(pool)
      return undefined
    } catch (error) {
      if (error instanceof EnvironmentError) return error.message
      throw error
    }
  })
}

async function ask(text: string): Promise<string> {
  const { rows } = await inPool(connectionString, pool => pool.query<{ readonly said: string }>(text))
  return rows[0]?.said ?? ''
}

async function inPool<T>(url: string, use: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  try {
    return await use(pool)
  } finally {
    await pool.end()
  }
}
