import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** How many of its last lines are kept to explain why a program ended. */
const KEPT_LINES = 40

/** What every child of this process says, for whoever listens in: a {@link ChildLine} each. */
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
  /** Where it runs; without it, where we run. */
  readonly folder?: string
  /** Looks at each line of stdout and stderr; the first answer other than undefined means "ready". */
  readonly readReady: (line: string) => Ready | undefined
  /** Default 30 s. */
  readonly readyTimeoutMs?: number
  /** Receives every line of stdout and stderr, also after it is ready. */
  readonly onLine?: (line: string) => void
  /** Aborting it before the child is ready ends the child and rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** How a program ended, with its last lines. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lastLines: string
}

export interface RunningChild<Ready> {
  readonly pid: number
  /** What `readReady` found. */
  readonly ready: Ready
  /** Resolves when the program ends, for whatever reason; never rejects. */
  readonly exited: Promise<ChildExit>
  /** SIGTERM, after `graceMs` (default 10 s) SIGKILL; resolves once it has ended. May be called twice. */
  readonly stop: (graceMs?: number) => Promise<ChildExit>
}

/** The program could not be started, or ended or stayed silent before it was ready. */
export class ChildNotReadyError extends Error {
  override readonly name = 'ChildNotReadyError'
  /** The last lines it wrote, empty when it wrote none. */
  readonly lastLines: string

  constructor(message: string, lastLines: string) {
    super(lastLines === '' ? message : `${message}:\n${lastLines}`)
    this.lastLines = lastLines
  }
}

/**
 * Starts a program and waits until it says that it is ready.
 *
 * It runs in its own process group: Ctrl-C in a terminal reaches us alone, and we decide who ends when.
 *
 * @throws ChildNotReadyError when the program cannot be started, ends before it is ready, or is not ready in
 * time
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
  const exited = watchExit(child, lines)
  const stop = async (graceMs = 10_000) => await stopChild(child, exited, graceMs)
  try {
    const ready = await waitUntilReady(child, lines, options)
    if (child.pid === undefined) throw new ChildNotReadyError(`${options.command} has no pid`, '')
    return { pid: child.pid, ready, exited, stop }
  } catch (error) {
    if (child.pid !== undefined) await stop()
    throw error
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

async function watchExit(child: Child, lines: readonly string[]): Promise<ChildExit> {
  return await new Promise(resolve => {
    // 'close' comes after the last line was read, 'error' when the program could not even be started.
    child.once('close', (code, signal) => resolve({ code, signal, lastLines: lines.join('\n') }))
    child.once('error', error => resolve({ code: null, signal: null, lastLines: error.message }))
  })
}

async function waitUntilReady<Ready>(
  child: Child,
  lines: string[],
  options: StartChildOptions<Ready>,
): Promise<Ready> {
  const { command, arguments: words, readReady, readyTimeoutMs = 30_000, onLine, signal } = options
  const timeout = AbortSignal.timeout(readyTimeoutMs)
  return await new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new ChildNotReadyError(message, lines.join('\n')))
    const readLine = (line: string) => {
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
      onLine?.(line)
      if (childLines.hasSubscribers)
        childLines.publish({ command: [command, ...words].join(' '), pid: child.pid, line })
      const ready = readReady(line)
      if (ready !== undefined) resolve(ready)
    }
    createInterface({ input: child.stdout }).on('line', readLine)
    createInterface({ input: child.stderr }).on('line', readLine)
    child.once('error', error => fail(`${command} could not be started (${error.message})`))
    child.once('close', (code, by) => fail(`${command} ended before it was ready (${by ?? `code ${code}`})`))
    timeout.addEventListener('abort', () => fail(`${command} was not ready after ${readyTimeoutMs / 1000} s`))
    signal?.addEventListener('abort', () => reject(toError(signal.reason)), { once: true })
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

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
