import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { request } from 'undici'
import type { Stage } from './stage.ts'

/** A server of a scene, in its own process. */
export interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The program, and its options. */
interface ServerProgram {
  readonly name: string
  /** JavaScript as it was built. */
  readonly file: string
  readonly arguments?: readonly string[]
  /** The complete environment apart from `PORT` and `PATH`: none of our variables reach the measured program. */
  readonly environment: { readonly [name: string]: string }
  /** The variable with the port of this program; default `PORT`. */
  readonly portVariable?: string
  /** The variable with this program's own URL, if it reads one. */
  readonly urlVariable?: string
}

const START_TIMEOUT_MS = 20_000
const STOP_GRACE_MS = 5_000

/** A file of this package's own build: `peers/x402-express.js`. */
export function builtFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

/**
 * Starts a program with plain `node`, as in production, and waits until it answers `GET /health` with any status. Its
 * output goes to a file, like a service's. Rejects with its last lines if it does not start.
 */
export async function startServer(stage: Stage, program: ServerProgram): Promise<Server> {
  const port = await findFreePort()
  const log = join(stage.folder, `${program.name}-${port}.log`)
  const child = spawnServer(program, port, log)
  const server = {
    name: program.name,
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: () => stopServer(child),
  }
  stage.onStrike(server.stop)
  const deadlineMs = performance.now() + START_TIMEOUT_MS
  while (!(await answers(server.url))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      throw new Error(`${program.name} did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
    }
    await delay(20)
  }
  return server
}

function spawnServer(program: ServerProgram, port: number, log: string): ChildProcess {
  const output = openSync(log, 'a')
  const child = spawn(process.execPath, [program.file, ...(program.arguments ?? [])], {
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      ...program.environment,
      [program.portVariable ?? 'PORT']: String(port),
      ...(program.urlVariable !== undefined && { [program.urlVariable]: `http://127.0.0.1:${port}` }),
    },
  })
  closeSync(output)
  return child
}

/** Asks it to end, and kills it after a while. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const insisting = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
  await ended
  clearTimeout(insisting)
}

async function answers(url: string): Promise<boolean> {
  try {
    const { body } = await request(`${url}/health`)
    await body.dump()
    return true
  } catch {
    return false
  }
}
