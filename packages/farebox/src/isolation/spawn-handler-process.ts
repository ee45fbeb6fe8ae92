import { fork, type ChildProcess } from 'node:child_process'
import type { Clock } from '@farebox/protocol/time/clock'
import { forwardLines } from './output/forward-lines.ts'
import type { Guard } from './orphan-guard.ts'
import { nodeOptions, HANDLER_PROGRAM } from './programs.ts'
import type { HandlerCommand } from './handler-messages.ts'

/** A spawned process, as its owner in this process sees it. */
export interface SpawnedProcess {
  /** Undefined where the system gave none. */
  readonly pid: number | undefined
  /** Resolves once it is gone, to the reason that is reported. */
  readonly ended: Promise<string>
  send(command: HandlerCommand): void
  /** Ends it at once, whatever it does. The first reason given is the one that is reported. */
  kill(why: string): void
  /** While it works for somebody this process does not end before it; at rest it keeps nobody. */
  keepAwake(isWorking: boolean): void
}

/** Output may still be on its way when a process is gone; another process that holds its pipes may keep them open. */
const LAST_WORDS_MS = 200

/** Starts a process for handlers; what it writes comes out here, in whole lines. */
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
    // Its end is waited for, also where it was at rest: nothing else may keep this process until then.
    child.ref()
    child.kill('SIGKILL')
  }
  const lastWords = keepLastWords(child)
  forwardOutput(child)
  const send = createSending(child, pid === undefined ? undefined : guard.watch(pid))
  child.on('message', message => {
    // What is still on its way from one that is ended counts no more.
    if (killedFor === undefined) onMessage(message)
  })
  let cancel: () => void = () => undefined
  child.on('disconnect', () => {
    // Mostly because it ends by itself, and then that is the reason that is reported.
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
    // The keys that spend and hire stay here: handlers ask for it.
    env,
    execArgv: [...nodeOptions(), `--max-old-space-size=${heapMegabytes}`],
    // Texts are copied, not parsed: an output is one.
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

function forwardOutput({ stdout, stderr }: ChildProcess): void {
  if (stdout !== null) forwardLines(stdout, lines => process.stdout.write(lines))
  if (stderr !== null) forwardLines(stderr, lines => process.stderr.write(lines))
}

/**
 * Makes what sends commands: those that come before the guard watches the process wait until then.
 *
 * @param watched undefined: nothing is waited for
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
    // Of a process that could not even be made there is no end.
    child.on('error', () => void (child.pid === undefined && resolve({ code: null, signal: null })))
  })
}

/** The end of what it wrote on stderr: there V8 says what it died of. */
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
