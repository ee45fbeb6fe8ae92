import { join } from 'node:path'
import { NotStartedError } from '../starting/not-started-error.ts'
import { startChild, type RunningChild, type StartChildOptions } from './child-process.ts'
import { endProcess } from './end-process.ts'
import { endWithUs } from './end-with-us.ts'
import { readPidFile, writePidFile } from './pid-file.ts'
import { portTaken } from './port-taken-error.ts'

/** A program of this project, run as a process that a later start can find again. */
export interface ProgramOptions<Ready> extends StartChildOptions<Ready> {
  /** The name for the pid file and, when `part` is omitted, for messages: `facilitator`. */
  readonly name: string
  /** The folder of the pid file, through which a process that an earlier crash left running is ended first. */
  readonly folder: string
  /** The port that the program will use; 0 for any free one. */
  readonly port: number
}

/** How long a process of an earlier run may take to finish its current work. */
const LEFTOVER_GRACE_MS = 10_000

/**
 * Ends a process of this program that an earlier, crashed run left running, checks the port, and starts the program. The
 * program ends when this process ends.
 *
 * @throws PortTakenError naming the process that uses the port
 * @throws NotStartedError with the program's output when it does not become ready
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

/**
 * Returns whether another process took the port before the program could. Most programs report Node's error code; an agent
 * reports an error of its own.
 */
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
