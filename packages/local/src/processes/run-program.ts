import { join } from 'node:path'
import { NotStartedError } from '../starting/not-started-error.ts'
import { startChild, type RunningChild, type StartChildOptions } from './child-process.ts'
import { endProcess } from './end-process.ts'
import { endWithUs } from './end-with-us.ts'
import { readPidFile, writePidFile } from './pid-file.ts'
import { portTaken } from './port-taken-error.ts'

/** A program of ours, run as a process that a later start can find again. */
export interface ProgramOptions<Ready> extends StartChildOptions<Ready> {
  /** For the pid file and, where no `part` is given, for messages: `facilitator`. */
  readonly name: string
  /** The file that its pid is noted in, so that one left by a crash of ours is ended first. */
  readonly folder: string
  /** The port it will take; 0 for any. */
  readonly port: number
}

/** How long a leftover may take to finish what it is doing. */
const LEFTOVER_GRACE_MS = 10_000

/**
 * Ends what an earlier, crashed run left of this program, checks its port, and starts it. It ends when we do.
 *
 * @throws PortTakenError naming who has the port
 * @throws NotStartedError when the program does not become ready, with its words
 */
export async function runToEnd<Ready>(options: ProgramOptions<Ready>): Promise<RunningChild<Ready>> {
  const { name, folder, port, part = `the ${name}` } = options
  const pidFile = join(folder, `${name}.pid`)
  const leftover = await readPidFile(pidFile)
  if (leftover !== undefined) await endProcess(leftover, 'SIGTERM', LEFTOVER_GRACE_MS)
  if (port !== 0 && (await isPortTaken(port))) throw await portTaken(port, part)
  const child = await startChild({ ...options, part }).catch(async (error: unknown) => {
    throw wasFaster(error) ? await portTaken(port, part, error) : error
  })
  void child.exited.then(endWithUs(child.pid))
  await writePidFile(pidFile, child.pid)
  return child
}

/** Somebody took the port before the program could: it says so in Node's word for it, an agent in ours. */
function wasFaster(error: unknown): boolean {
  return error instanceof NotStartedError && /EADDRINUSE|cannot listen: port/.test(error.lastLines)
}

async function isPortTaken(port: number): Promise<boolean> {
  const { createServer } = await import('node:net')
  return await new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(true))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)))
  })
}
