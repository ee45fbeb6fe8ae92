import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../bin/farebox.js', import.meta.url))

/** Variables for an agent without payments. */
export const DEV = {
  SERVICE_DEV_MODE: 'true',
  AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
  SERVICE_STORE: 'memory:',
}
/** Variables for a paid agent, without a secret. */
export const PAID = { ...DEV, SERVICE_DEV_MODE: 'false', SERVICE_NETWORK: 'eip155:84532' }

/** One capability, which waits for `ms` milliseconds, and longer while a file `hold` exists. */
export const CONFIG = {
  service_version: '1.0',
  name: 'Waiter',
  description: 'Waits.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 300,
  capabilities: {
    wait: {
      description: 'Waits.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { ms: { type: 'integer', required: true } },
      output_schema: { waited: { type: 'integer' }, pid: { type: 'integer' } },
    },
  },
}

const HANDLERS = `import { existsSync } from 'node:fs'
// Resources of real handlers: a pool, a timer, something that keeps the process awake.
setInterval(() => {}, 60_000)
export default async ({ ms }) => {
  if (ms === 7) setTimeout(() => { throw new Error('left behind') }, 20)
  if (ms === 13) throw new Error('unlucky')
  do await new Promise(resolve => setTimeout(resolve, ms))
  while (existsSync('hold'))
  return { waited: ms, pid: process.pid }
}`

/** A running `farebox …` command, from the build. */
export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** Its stdout so far. */
  output(): string
  /** Its stderr so far. */
  errors(): string
  /** Resolves when stdout matches; rejects with the output when the process ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<Ended>
}

/** The result of an ended process. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A project in a temporary folder. */
export interface Project {
  readonly folder: string
  write(name: string, text: string): Promise<void>
  /** Starts `farebox <args>` in the folder, with only these variables. */
  farebox(args: readonly string[], variables?: NodeJS.ProcessEnv, bin?: string): Running
  /** Kills the processes that are still running, and removes the folder. */
  remove(): Promise<void>
}

/** Makes a project with a config and handlers. */
export async function createProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-commands-'))
  const started: Running[] = []
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
  await write('agent.json', JSON.stringify(CONFIG, null, 2))
  await write('handlers.mjs', HANDLERS)
  return {
    folder,
    write,
    farebox(args, variables = DEV, bin = BIN) {
      const running = run(folder, [bin, ...args], variables)
      started.push(running)
      return running
    },
    async remove() {
      for (const { child } of started) child.kill('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      await rm(folder, { recursive: true })
    },
  }
}

/** The URL that an agent printed at its start. */
export async function listening(running: Running): Promise<string> {
  const [url] = await running.until(/http:\/\/localhost:\d+/)
  return url.replace('localhost', '127.0.0.1')
}

/** Sends one job. */
export async function waitJob(
  url: string,
  ms: number,
  jobId: string = crypto.randomUUID(),
  deadlineSeconds = 280,
): Promise<Response> {
  return await fetch(`${url}/execute`, {
    method: 'POST',
    // A separate connection, because a pooled one would reach the same process again.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      service_version: '1.0',
      job_id: jobId,
      task: { input: { ms } },
      deadline: Date.now() / 1_000 + deadlineSeconds,
    }),
  })
}

function run(folder: string, args: readonly string[], variables: NodeJS.ProcessEnv): Running {
  const child = spawn(
    process.execPath,
    [...args],
    // A separate process group, as a terminal or a service manager creates it: a signal to it reaches the workers too.
    { cwd: folder, detached: true, env: { PATH: process.env['PATH'], ...variables } },
  )
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = new Promise<Ended>(resolve => {
    child.on('close', code => resolve({ code, stdout, stderr }))
  })
  return {
    child,
    pid: child.pid ?? 0,
    output: () => stdout,
    errors: () => stderr,
    ended,
    until: pattern =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(stdout)
          if (found !== null) resolve(found)
        }
        look()
        child.stdout.on('data', look)
        void ended.then(() => reject(new Error(`ended before ${pattern}: ${stdout}${stderr}`)))
      }),
  }
}
