import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readProcess } from 'farebox/src/command-line'

const FAREBOX = fileURLToPath(new URL('../../../packages/farebox/bin/farebox.js', import.meta.url))
const FOLDER = fileURLToPath(new URL('agent', import.meta.url))

/** A real `farebox start` with isolation, over misbehaving handlers. */
export interface IsolatedAgent {
  readonly url: string
  isAlive(): boolean
  /** Stops it: its exit code, and how many of its processes are still there after that. */
  stop(): Promise<{ readonly code: number | null; readonly left: number }>
  /** Ends it and all that is its own, at once. */
  kill(): void
}

/** Starts it, as it was built; resolves once it listens. */
export async function startIsolatedAgent(): Promise<IsolatedAgent> {
  const child = spawn(process.execPath, [FAREBOX, 'start', '--port', '0', '--host', '127.0.0.1'], {
    cwd: FOLDER,
    env: {
      PATH: process.env['PATH'],
      AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
      SERVICE_DEV_MODE: 'true',
      SERVICE_STORE: 'memory:',
      SERVICE_ISOLATION: 'worker',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // Read to the end of the run: an agent whose output nobody takes waits for somebody.
      said = (said + text).slice(-1_000)
      const [, port] = /http:\/\/localhost:(\d+)/.exec(said) ?? []
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    void ended.then(() => reject(new Error(`the isolated agent did not start: ${said}`)))
  })
  const { pid = 0 } = child
  return {
    url,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      const family = await Promise.all(childrenOf(pid).map(readProcess))
      child.kill('SIGTERM')
      await ended
      const left = await Promise.all(
        family.map(async member => {
          const now = member && (await readProcess(member.pid))
          return now !== undefined && now.startedAt === member?.startedAt
        }),
      )
      return { code: child.exitCode, left: left.filter(Boolean).length }
    },
    // Its guard sees to the rest.
    kill: () => void child.kill('SIGKILL'),
  }
}

/** By /proc: the fourth field of proc_pid_stat(5) is the parent. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : Number(parent)
  } catch {
    return undefined
  }
}
