import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

const DATABASE_URL = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const PROGRAM = fileURLToPath(new URL('../../bin/farebox-facilitator.js', import.meta.url))
const ADMIN_TOKEN = 'admin-token-of-the-process-test'

async function runSql(sql: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: DATABASE_URL, connectionTimeoutMillis: 2_000 })
  try {
    await client.connect()
    await client.query(sql)
    await client.end()
    return true
  } catch {
    return false
  }
}

const hasPostgres = await runSql('select 1')
if (!hasPostgres)
  console.log(`no PostgreSQL at ${DATABASE_URL}: the test of the facilitator process is skipped`)

describe.runIf(hasPostgres)('the facilitator as a process', () => {
  const schema = `facilitator_program_${randomBytes(6).toString('hex')}`
  const children: ChildProcess[] = []
  let chain: LocalChain

  beforeAll(async () => {
    chain = await startChain()
  })
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }
  })
  afterAll(async () => {
    await chain.stop()
    await runSql(`drop schema if exists ${schema} cascade`)
  })

  interface Started {
    readonly child: ChildProcess
    readonly lines: string[]
    readonly errors: string[]
  }
  const start = (environment: { readonly [name: string]: string } = {}): Started => {
    const child = spawn(process.execPath, [PROGRAM], {
      env: {
        PATH: process.env['PATH'] ?? '',
        FACILITATOR_PORT: '0',
        METRICS_PORT: '0',
        FACILITATOR_NETWORK: 'eip155:84532',
        EVM_RPC_URL: chain.rpcUrl,
        DATABASE_URL,
        DATABASE_SCHEMA: schema,
        RELAYER_PRIVATE_KEY: TEST_KEYS.relayer.privateKey,
        FACILITATOR_ADMIN_TOKEN: ADMIN_TOKEN,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    const [lines, errors]: [string[], string[]] = [[], []]
    createInterface({ input: child.stdout }).on('line', line => lines.push(line))
    createInterface({ input: child.stderr }).on('line', line => errors.push(line))
    return { child, lines, errors }
  }
  const urlOf = async ({ lines, errors }: Started): Promise<string> => {
    const find = (): string | undefined =>
      lines
        .map(line => /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1])
        .find(url => url !== undefined)
    await expect.poll(find, { message: errors.join('\n') }).toBeDefined()
    return find() ?? ''
  }

  test('logs where it listens, is ready, and exits with 0 at SIGTERM while a keep-alive client is connected', async () => {
    const started = start()
    const url = await urlOf(started)
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({
      ready: true,
      process: 'ok',
      database: 'ok',
      chain: 'ok',
      relayer: 'ok',
      clock: 'ok',
    })
    expect(started.lines.every(line => JSON.parse(line).event !== undefined)).toBe(true)
    const exited = once(started.child, 'exit')
    started.child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(started.lines.at(-1)).toContain('"event":"stopped"')
  })

  test('after kill -9 the next process knows the same secrets', async () => {
    const first = start()
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const created = await fetch(`${await urlOf(first)}/secrets`, {
      method: 'POST',
      headers: admin,
      body: JSON.stringify({ owner: 'me', wallets: [TEST_KEYS.agent.address] }),
    })
    const { secret } = (await created.json()) as { secret: string }
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const answer = await fetch(`${await urlOf(start())}/release`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: '{"holdId":"none","binding":"none"}',
    })
    expect(await answer.json()).toEqual({ released: false })
  })

  test.each([
    ['FACILITATOR_PORT', { FACILITATOR_PORT: 'abc' }, 'FACILITATOR_PORT must be a port'],
    ['no DATABASE_URL', { DATABASE_URL: '' }, 'DATABASE_URL is not set'],
    [
      'an unreachable chain',
      { EVM_RPC_URL: 'http://127.0.0.1:9' },
      'cannot reach the node at 127.0.0.1:9: connection refused (ECONNREFUSED); start it or set EVM_RPC_URL',
    ],
    [
      'an unreachable database',
      { DATABASE_URL: 'postgres://nobody:hunter22@127.0.0.1:9/none' },
      'cannot reach PostgreSQL at 127.0.0.1:9 (database \\"none\\"): connection refused (ECONNREFUSED)',
    ],
    ['another chain than it is told', { FACILITATOR_NETWORK: 'eip155:8453' }, 'the node is on chain 84532'],
  ])('does not start with %s: exit code 1 and a reason', async (_, environment, words) => {
    const { child, lines, errors } = start(environment)
    const [code] = await once(child, 'exit')
    expect(code).toBe(1)
    await expect.poll(() => [...lines, ...errors].join('\n')).toContain(words)
    expect([...lines, ...errors].join('\n')).not.toContain(TEST_KEYS.relayer.privateKey)
  })
})
