import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const BIN = fileURLToPath(new URL('../bin.ts', import.meta.url))
const DEV = {
  SERVICE_DEV_MODE: 'true',
  AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
  SERVICE_STORE: 'memory:',
}
const PAID = { ...DEV, SERVICE_DEV_MODE: 'false', SERVICE_NETWORK: 'eip155:84532' }

const CONFIG = {
  service_version: '1.0',
  name: 'Waiter',
  description: 'Waits.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 60,
  capabilities: {
    wait: {
      description: 'Waits.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { ms: { type: 'integer', required: true } },
      output_schema: { waited: { type: 'integer' } },
    },
  },
}

let folder = ''
const started: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-commands-'))
  await write('agent.json', JSON.stringify(CONFIG, null, 2))
  await write(
    'handlers.mjs',
    `
    // What real handlers leave behind: a pool, a timer, something that keeps the process awake.
    setInterval(() => {}, 60_000)
    export default async ({ ms }) => {
      if (ms === 7) setTimeout(() => { throw new Error('left behind') }, 20)
      await new Promise(resolve => setTimeout(resolve, ms))
      return { waited: ms }
    }`,
  )
})
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text)
}

interface Running {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

/** `farebox …`, from the sources. */
function farebox(words: readonly string[], variables: NodeJS.ProcessEnv = DEV): Running {
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--conditions=@farebox/source', BIN, ...words],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...variables },
    },
  )
  started.push(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = new Promise<Awaited<Running['ended']>>(resolve => {
    child.on('close', code => resolve({ code, stdout, stderr }))
  })
  return { child, output: () => stdout, ended }
}

/** The URL the agent says it listens at. */
async function listening({ child, output, ended }: Running): Promise<string> {
  const said = new Promise<void>(resolve => {
    const look = (): void => {
      if (output().includes('http://localhost:')) resolve()
    }
    child.stdout?.on('data', look)
  })
  await Promise.race([said, ended])
  const url = /http:\/\/localhost:\d+/.exec(output())?.[0]
  if (url === undefined) throw new Error(`did not start: ${(await ended).stderr}`)
  return url.replace('localhost', '127.0.0.1')
}

async function waitJob(url: string, ms: number): Promise<Response> {
  const jobId = crypto.randomUUID()
  return await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      service_version: '1.0',
      job_id: jobId,
      task: { input: { ms } },
      deadline: Date.now() / 1_000 + 20,
    }),
  })
}

describe('farebox validate', () => {
  test('exit 1 and every problem with its place', async () => {
    await write('wrong.json', JSON.stringify({ ...CONFIG, name: '', colour: 'red' }, null, 2))
    const { code, stdout, stderr } = await farebox(['validate', '--config', 'wrong.json'], {}).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^✗ 2 problems\n {2}wrong\.json:28:13 colour: is not a known key\n {2}wrong\.json:3:11 name: must not be empty\n$/,
    )
  })
})

describe('farebox', () => {
  test('exit 2 for a command it does not have, with where the others are', async () => {
    expect(await farebox(['regster'], {}).ended).toEqual({
      code: 2,
      stdout: '',
      stderr: '✗ farebox regster: not a command\n  farebox --help lists those there are\n',
    })
  })
})

describe('farebox start refuses with the sentence and what to do', () => {
  test('OPS-01 SERVICE_DEV_MODE unset', async () => {
    expect(await farebox(['start'], { ...DEV, SERVICE_DEV_MODE: undefined }).ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '✗ cannot start: SERVICE_DEV_MODE is not set\n  set SERVICE_DEV_MODE=false to take payments, or =true to try the agent without any\n',
    })
  })

  test('OPS-10 a port in use', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, resolve))
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await farebox(['start', '--port', String(port)]).ended
    await new Promise(resolve => other.close(resolve))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `✗ cannot listen: port ${port} is in use\n  stop the process that has it, or choose another with --port\n`,
    })
  })
})

describe('farebox start serves until it is told to stop', () => {
  test('D32 SIGTERM: the job in flight is answered, exit 0 whatever the handlers left behind', async () => {
    const running = farebox(['start', '--port', '0'])
    const url = await listening(running)
    const answer = waitJob(url, 300)
    while (!running.output().includes('input valid'))
      await new Promise(resolve => running.child.stdout?.once('data', resolve))
    running.child.kill('SIGTERM')
    expect((await answer).status).toBe(200)
    const { code, stdout, stderr } = await running.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Waiter {3}http:\/\/localhost:\d+ {3}dev mode: payments are off$/m)
    expect(stdout).toMatch(/^warning: dev mode: payments are off, every job is free$/m)
    expect(stdout).toMatch(/^completed job=/m)
  })

  test('a second signal ends it at once', async () => {
    const running = farebox(['start', '--port', '0'])
    const url = await listening(running)
    const answer = waitJob(url, 15_000).catch(() => 'cut off')
    while (!running.output().includes('input valid'))
      await new Promise(resolve => running.child.stdout?.once('data', resolve))
    running.child.kill('SIGTERM')
    // Only once the first was taken is the second one a second one: new jobs are refused then.
    while ((await waitJob(url, 1)).status !== 503) await new Promise(resolve => setImmediate(resolve))
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(1)
    expect(await answer).toBe('cut off')
  })

  test('DDL-09 an error that a handler left behind: jobs in flight are finished, exit 1', async () => {
    const running = farebox(['start', '--port', '0'])
    const url = await listening(running)
    const [slow, stray] = await Promise.all([waitJob(url, 200), waitJob(url, 7)])
    expect([slow.status, stray.status]).toEqual([200, 200])
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^✗ stopping: an error nobody caught\n {2}Error: left behind\n/),
    })
  })

  test('D11 without FACILITATOR_SECRET it starts and warns; D27 with SERVICE_LOG=json all that in events', async () => {
    const running = farebox(['start', '--port', '0', '--host', '127.0.0.1'], { ...PAID, SERVICE_LOG: 'json' })
    const url = await listening(running)
    expect((await waitJob(url, 1)).status).toBe(402)
    running.child.kill('SIGTERM')
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as unknown)
    expect(events).toContainEqual({
      level: 'info',
      event: 'listening',
      name: 'Waiter',
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    })
    expect(events).toContainEqual({
      time: expect.any(String),
      level: 'warn',
      event: 'FACILITATOR_SECRET is not set: every paid request will be answered 401',
    })
  })
})
