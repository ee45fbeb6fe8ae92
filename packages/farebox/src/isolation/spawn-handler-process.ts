import { fork, type ChildProcess } from 'node:child_process'
import type { Clock } from '@farebox/protocol/time/clock'
import { forwardLines } from './output/forward-lines.ts'
import type { Guard } from './orphan-guard.ts'
import { nodeOptions, HANDLER_PROGRAM } from './programs.ts'
import type { HandlerCommand } from './handler-messages.ts'

/** A spawned handler process, as its parent uses it. */
export interface SpawnedProcess {
  /** Undefined when the system could not create the process. */
  readonly pid: number | undefined
  /** Resolves to the reason when the process has ended. */
  readonly ended: Promise<string>
  send(command: HandlerCommand): void
  /** Kills the process. If it is called several times, the first reason is reported. */
  kill(why: string): void
  /** While it is working it keeps this process alive; while it is idle it does not. */
  keepAwake(isWorking: boolean): void
}

/**
 * How long to wait for output after a process has ended; another process that inherited its pipes may keep them open.
 */
const LAST_WORDS_MS = 200

/** Starts a process for handlers; its output is forwarded in whole lines. */
export function spawnHandlerProcess(
  parts: { readonly heapMegabytes: number; readonly guard: Guard; readonly clock: Clock },
  onMessage: (message: unknown) => void,
): SpawnedProcess {
  const { heapMegabytes, guard, clock } = parts
  const child = forkProgram(heapMegabytes)
  const { pid } = child
  let killedFor: string | undefined
  const kill = (why: string): void => {
    killedFor ??= why
    // The child keeps this process alive until it has ended, even if it was idle, because nothing else may.
    child.ref()
    child.kill('SIGKILL')
  }
  const lastWords = keepLastWords(child)
  forwardOutput(child)
  const send = createSending(child, pid === undefined ? undefined : guard.watch(pid))
  child.on('message', message => {
    // Messages of a process that is being killed are dropped.
    if (killedFor === undefined) onMessage(message)
  })
  let cancel: () => void = () => undefined
  child.on('disconnect', () => {
    // Usually the process is ending by itself; then that reason is reported.
    cancel = clock.after(LAST_WORDS_MS, () => kill('it closed the channel to its agent'))
  })
  const ended = endOf(child, clock).then(end => {
    cancel()
    if (pid !== undefined) guard.forget(pid)
    return killedFor ?? tellEnd(end, lastWords())
  })
  return { pid, ended, send, kill, keepAwake: isWorking => keepAwake(child, isWorking) }
}

function forkProgram(heapMegabytes: number): ChildProcess {
  const { SPENDER_PRIVATE_KEY: _spends, HIRING_PRIVATE_KEY: _hires, ...env } = process.env
  return fork(HANDLER_PROGRAM, [], {
    // The private keys for spending and hiring are not passed on: handlers ask the agent to spend and hire.
    env,
    execArgv: [...nodeOptions(), `--max-old-space-size=${heapMegabytes}`],
    // Strings are copied and not parsed, which matters for outputs.
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

function forwardOutput({ stdout, stderr }: ChildProcess): void {
  if (stdout !== null) forwardLines(stdout, lines => process.stdout.write(lines))
  if (stderr !== null) forwardLines(stderr, lines => process.stderr.write(lines))
}

/**
 * Makes the function that sends commands: commands are queued until the guard watches the process.
 *
 * @param watched undefined: commands are sent at once
 */
function createSending(
  child: ChildProcess,
  watched: Promise<void> | undefined,
): (command: HandlerCommand) => void {
  const sendNow = (command: HandlerCommand): void => {
    if (child.connected) child.send(command, () => undefined)
  }
  if (watched === undefined) return sendNow
  let waiting: HandlerCommand[] | undefined = []
  void watched.then(() => {
    for (const command of waiting ?? []) sendNow(command)
    waiting = undefined
  })
  return command => {
    if (waiting === undefined) sendNow(command)
    else waiting.push(command)
  }
}

function keepAwake(child: ChildProcess, isWorking: boolean): void {
  if (isWorking) {
    child.ref()
    child.channel?.ref()
    return
  }
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
}

interface End {
  readonly code: number | null
  readonly signal: string | null
}

function endOf(child: ChildProcess, clock: Clock): Promise<End> {
  return new Promise(resolve => {
    child.on('exit', (code, signal) => {
      const cancel = clock.after(LAST_WORDS_MS, () => resolve({ code, signal }))
      child.on('close', () => {
        cancel()
        resolve({ code, signal })
      })
    })
    // A process that could not be created has no exit event.
    child.on('error', () => void (child.pid === undefined && resolve({ code: null, signal: null })))
  })
}

/** Keeps the end of the process's stderr, where V8 reports a fatal error. */
function keepLastWords(child: ChildProcess): () => string {
  let words = ''
  child.stderr?.on('data', (text: string) => {
    words = (words + text).slice(-8_192)
  })
  return () => words
}

function tellEnd({ code, signal }: End, lastWords: string): string {
  if (/heap out of memory|Fatal JavaScript invalid size/.test(lastWords)) return 'it ran out of memory'
  if (code === null && signal === null) return 'no process could be started for it'
  return `its process ended (${signal ?? `exit code ${code}`})`
}
