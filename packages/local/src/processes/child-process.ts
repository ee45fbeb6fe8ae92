import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { readActivity } from '../starting/log-line.ts'
import type { ChildExit } from '../starting/child-exit.ts'
import { describeEnd, NotStartedError } from '../starting/not-started-error.ts'
import { openPartLog } from '../starting/part-log.ts'
import { StartLimitError, waitForStart, type Timer } from '../starting/wait-for-start.ts'

/** How many of its last lines are kept to explain why a program ended. */
const KEPT_LINES = 40

/**
 * The name of the diagnostics channel for every line that a child of this process writes; a message is a {@link ChildLine}.
 */
export const CHILD_LINES = 'farebox:child-lines'

/** One line of one child. */
export interface ChildLine {
  readonly command: string
  readonly pid: number | undefined
  readonly line: string
}

const childLines = channel(CHILD_LINES)

export interface StartChildOptions<Ready> {
  readonly command: string
  readonly arguments: readonly string[]
  /** The whole environment of the child; by default that of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** The working folder; by default that of this process. */
  readonly folder?: string
  /** Receives each line of stdout and stderr; the first result other than `undefined` means that the program is ready. */
  readonly readReady: (line: string) => Ready | undefined
  /** The name of the program in messages, such as "the platform"; by default the command. */
  readonly part?: string
  /** Receives every line of stdout and stderr, also after the program is ready. */
  readonly onLine?: (line: string) => void
  /** The file that receives all these lines; this start replaces its content. */
  readonly logFile?: string
  /** The advice for the error message when the program does not start, in the imperative. */
  readonly advice?: string
  /** Receives the current activity of the program until it is ready, as read from its log lines. */
  readonly onActivity?: (activity: string) => void
  /** Default: the timers of this process. */
  readonly timer?: Timer
  /** Aborting it before the child is ready ends the child and rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface RunningChild<Ready> {
  readonly pid: number
  /** The result of `readReady`. */
  readonly ready: Ready
  /** Resolves when the program ends for any reason; never rejects. */
  readonly exited: Promise<ChildExit>
  /** Sends SIGTERM, and SIGKILL after `graceMs` (default 10 s). Resolves when the program has ended. May be called twice. */
  readonly stop: (graceMs?: number) => Promise<ChildExit>
}

/**
 * Starts a program and waits until its output says that it is ready, for as long as its process lives (see `waitForStart`).
 *
 * The program runs in its own process group: Ctrl-C in a terminal reaches only this process, which decides the order in
 * which programs end.
 *
 * @throws NotStartedError when the program cannot be started, ends before it is ready, or hangs
 */
export async function startChild<Ready>(options: StartChildOptions<Ready>): Promise<RunningChild<Ready>> {
  options.signal?.throwIfAborted()
  const child = spawn(options.command, options.arguments, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(options.environment === undefined ? {} : { env: options.environment }),
    ...(options.folder === undefined ? {} : { cwd: options.folder }),
  })
  const lines: string[] = []
  const exited = watchExit(child, lines, options.logFile)
  const stop = async (graceMs = 10_000) => await stopChild(child, exited, graceMs)
  try {
    const ready = await waitForStart(() => waitUntilReady(child, lines, options), options)
    if (child.pid === undefined) throw new Error(`${options.command} has no pid`)
    return { pid: child.pid, ready, exited, stop }
  } catch (error) {
    if (child.pid !== undefined) await stop()
    if (!(error instanceof CannotBecomeReady || error instanceof StartLimitError)) throw error
    const { part = options.command, logFile, advice } = options
    throw new NotStartedError({ part, reason: error.message, lines, logFile, advice })
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** The message gives the reason; it follows the name of the part. */
class CannotBecomeReady extends Error {}

async function watchExit(
  child: Child,
  lines: readonly string[],
  logFile: string | undefined,
): Promise<ChildExit> {
  return await new Promise(resolve => {
    // 'close' is emitted after the last line was read, 'error' when the program could not be started at all.
    child.once('close', (code, signal) => resolve({ code, signal, lastLines: lines.join('\n'), logFile }))
    child.once('error', error => resolve({ code: null, signal: null, lastLines: error.message, logFile }))
  })
}

async function waitUntilReady<Ready>(
  child: Child,
  lines: string[],
  options: StartChildOptions<Ready>,
): Promise<Ready> {
  const { command, arguments: words, readReady, onLine, onActivity, logFile } = options
  const log = logFile === undefined ? undefined : openPartLog(logFile)
  let isStarting = true
  return await new Promise<Ready>((resolve, reject) => {
    const readLine = (line: string) => {
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
      log?.write(line)
      onLine?.(line)
      if (childLines.hasSubscribers)
        childLines.publish({ command: [command, ...words].join(' '), pid: child.pid, line })
      if (!isStarting) return
      const activity = readActivity(line)
      if (activity !== undefined) onActivity?.(activity)
      const ready = readReady(line)
      if (ready === undefined) return
      isStarting = false
      resolve(ready)
    }
    createInterface({ input: child.stdout }).on('line', readLine)
    createInterface({ input: child.stderr }).on('line', readLine)
    child.once('error', error => reject(new CannotBecomeReady(`it cannot be run (${error.message})`)))
    child.once('close', (code, signal) => {
      log?.close()
      reject(new CannotBecomeReady(describeEnd({ code, signal })))
    })
  })
}

async function stopChild(child: Child, exited: Promise<ChildExit>, graceMs: number): Promise<ChildExit> {
  child.kill('SIGTERM')
  const cancelGrace = new AbortController()
  const grace = delay(graceMs, 'late', { signal: cancelGrace.signal }).catch(() => 'ended')
  if ((await Promise.race([exited, grace])) === 'late') child.kill('SIGKILL')
  cancelGrace.abort()
  return await exited
}
