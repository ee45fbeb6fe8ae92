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

/** Every line that a child of this process writes, for listeners: a {@link ChildLine} each. */
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
  /** The whole environment of the child; without it the child gets ours. */
  readonly environment?: Readonly<Record<string, string>>
  /** The folder it runs in; without it, that of this process. */
  readonly folder?: string
  /** Looks at each line of stdout and stderr; the first answer other than undefined means "ready". */
  readonly readReady: (line: string) => Ready | undefined
  /** As people call it in a message: "the platform"; default the command. */
  readonly part?: string
  /** Receives every line of stdout and stderr, also after it is ready. */
  readonly onLine?: (line: string) => void
  /** The file of all of them, from this start on. */
  readonly logFile?: string
  /** The advice where it does not start, in the imperative. */
  readonly advice?: string
  /** Receives what the program is doing until it is ready, as its own log says. */
  readonly onActivity?: (activity: string) => void
  /** Default: the machine's. */
  readonly timer?: Timer
  /** Aborting it before the child is ready ends the child and rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface RunningChild<Ready> {
  readonly pid: number
  /** The result of `readReady`. */
  readonly ready: Ready
  /** Resolves when the program ends, for whatever reason; never rejects. */
  readonly exited: Promise<ChildExit>
  /** SIGTERM, after `graceMs` (default 10 s) SIGKILL; resolves once it has ended. May be called twice. */
  readonly stop: (graceMs?: number) => Promise<ChildExit>
}

/**
 * Starts a program and waits until it says that it is ready, for as long as its process lives (see `waitForStart`).
 *
 * It runs in its own process group: Ctrl-C in a terminal reaches us alone, and we decide who ends when.
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

/** The message says why, after the name of the part. */
class CannotBecomeReady extends Error {}

async function watchExit(
  child: Child,
  lines: readonly string[],
  logFile: string | undefined,
): Promise<ChildExit> {
  return await new Promise(resolve => {
    // 'close' comes after the last line was read, 'error' when the program could not even be started.
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
