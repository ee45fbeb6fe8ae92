import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fareboxProgram } from '@farebox/local/src/programs'
import { startChild, type RunningChild } from '@farebox/local/src/processes/child-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobBody } from './stage/pay.ts'

const DECLARATION = {
  service_version: '1.0',
  name: 'Hanging',
  description: 'Begins and does not end.',
  wallet: '0x00000000000000000000000000000000000fa4e0',
  max_deadline_seconds: 600,
  capabilities: {
    hang: {
      description: 'Hangs.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
}
/** `text`: a file that the handler waits for. */
const HANDLERS = `import { existsSync } from 'node:fs'
export default {
  hang: async ({ text }) => {
    console.log('handler began')
    while (!existsSync(text)) await new Promise(resolve => setTimeout(resolve, 20))
    return { text }
  },
}`

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-stopping-'))
  await writeFile(join(folder, 'agent.json'), JSON.stringify(DECLARATION))
  await writeFile(join(folder, 'handlers.mjs'), HANDLERS)
})
afterAll(() => rm(folder, { recursive: true }))

interface Serving {
  readonly agent: RunningChild<string>
  /** Resolves once this many handlers have begun. */
  began(count: number): Promise<void>
}

async function serve(
  environment: { readonly [name: string]: string },
  words: readonly string[],
): Promise<Serving> {
  let begun = 0
  const listeners: (() => void)[] = []
  const agent = await startChild({
    command: process.execPath,
    arguments: [fareboxProgram(), 'start', '--port', '0', '--host', '127.0.0.1', ...words],
    folder,
    environment: {
      PATH: process.env['PATH'] ?? '',
      SERVICE_DEV_MODE: 'true',
      SERVICE_LOG: 'json',
      AGENT_WALLET_ADDRESS: DECLARATION.wallet,
      ...environment,
    },
    readReady: line => /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1],
    onLine(line) {
      if (line.includes('handler began')) begun += 1
      for (const tell of listeners) tell()
    },
  })
  return {
    agent,
    began: count =>
      new Promise(resolve => {
        const look = (): void => {
          if (begun >= count) resolve()
        }
        listeners.push(look)
        look()
      }),
  }
}

function post(url: string, text: string): Promise<Response> {
  return fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: jobBody(crypto.randomUUID(), { text }, { deadlineSeconds: 500 }),
  })
}

/** A body of which half was sent. */
async function sendHalf(url: string): Promise<{ readonly socket: Socket; readonly closed: Promise<void> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  const head =
    'POST /execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  await new Promise<void>(resolve => socket.write(head, () => resolve()))
  return { socket, closed }
}

const KINDS = [
  ['in one process', {}, []],
  ['with isolation in worker processes', { SERVICE_ISOLATION: 'worker' }, []],
  ['in two workers', { SERVICE_STORE: 'lmdb:jobs' }, ['--workers', '2']],
  [
    'in two workers with isolation',
    { SERVICE_STORE: 'lmdb:isolated', SERVICE_ISOLATION: 'worker' },
    ['--workers', '2'],
  ],
] as const

test.concurrent.each(KINDS)(
  'D32 SIGTERM %s: half a body is dropped while jobs run, a finished job is delivered, a hanging one is answered, exit code 0',
  async (name, environment, words) => {
    const { agent, began } = await serve(environment, words)
    const url = agent.ready
    const half = await sendHalf(url)
    const hanging = post(url, 'never')
    const end = name.replaceAll(' ', '-')
    const ending = post(url, end)
    await began(2)
    process.kill(agent.pid, 'SIGTERM')
    await half.closed
    await writeFile(join(folder, end), '')
    const done = await ending
    expect(done.status).toBe(200)
    const answer = await hanging
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(await answer.json()).toEqual({
      status: 'failed',
      error_type: 'internal',
      error: 'shutting down, not charged',
      service_version: '1.0',
    })
    const { code } = await agent.exited
    expect(code).toBe(0)
  },
)

test.concurrent.each(KINDS)(
  'D32 SIGTERM %s with only half a body: exit code 0, long before an agent with a hanging job',
  async (name, environment, words) => {
    const storeOf = (state: string) => ({ SERVICE_STORE: `lmdb:${state}-${name.replaceAll(' ', '-')}` })
    const idle = await serve({ ...environment, ...storeOf('idle') }, words)
    const busy = await serve({ ...environment, ...storeOf('busy') }, words)
    await sendHalf(idle.agent.ready)
    const hanging = post(busy.agent.ready, 'never')
    await busy.began(1)
    const ended: string[] = []
    const endOf = async (state: string, { agent }: Serving): Promise<number | null> => {
      const { code } = await agent.exited
      ended.push(state)
      return code
    }
    for (const { agent } of [busy, idle]) process.kill(agent.pid, 'SIGTERM')
    expect(await Promise.all([endOf('busy', busy), endOf('idle', idle)])).toEqual([0, 0])
    expect(ended).toEqual(['idle', 'busy'])
    expect((await hanging).status).toBe(503)
  },
)
