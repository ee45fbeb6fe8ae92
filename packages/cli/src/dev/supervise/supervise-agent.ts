import type { Clock } from 'farebox'
import type { DevAgentProcess, AgentProcesses, ExitStatus } from './agent-processes.ts'
import type { Failed, LoadAgentCommand, Report, Serving, Sources } from '../messages/messages.ts'
import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'

export interface Supervisor {
  /**
   * Loads the agent in a new process. The previous process is ended only when the new one listens; when the load fails, the
   * previous one continues. Only one load runs at a time.
   *
   * @param signal cancels a load that does not end
   */
  load(command: LoadAgentCommand, signal: AbortSignal): Promise<LoadOutcome>
  /** Prepares the process for the next load. */
  warm(): void
  /** Resolves when that process would start a load without delay. */
  ready(): Promise<void>
  /** Ends every process after the running jobs are answered. May be called twice. */
  stop(): Promise<void>
}

export type Trouble =
  | { readonly kind: 'broken'; readonly text: string }
  | { readonly kind: 'ended'; readonly exit: ExitStatus }
  | { readonly kind: 'blocked'; readonly silentMs: number }

export interface SupervisorListener {
  trouble(trouble: Trouble): void
  report(report: Report): void
}

/** The processes of one agent. */
interface Supervised {
  readonly processes: AgentProcesses
  readonly clock: Clock
  readonly listener: SupervisorListener
  readonly all: Set<DevAgentProcess>
  /** Processes that were asked to leave and still finish their jobs. */
  readonly leaving: Set<DevAgentProcess>
  /** The process for the next load. */
  spare: DevAgentProcess | undefined
  serving: DevAgentProcess | undefined
  stopWatching: () => void
  ready: Promise<void>
  isStopped: boolean
}

/** Starts the first process at once, so that it is nearly or completely ready when the first load comes. */
export function superviseAgent(
  processes: AgentProcesses,
  clock: Clock,
  listener: SupervisorListener,
): Supervisor {
  const supervised: Supervised = {
    processes,
    clock,
    listener,
    all: new Set(),
    leaving: new Set(),
    spare: undefined,
    serving: undefined,
    stopWatching: () => undefined,
    ready: Promise.resolve(),
    isStopped: false,
  }
  supervised.spare = startProcess(supervised)
  return {
    load: (command, signal) => load(supervised, command, signal),
    warm: () => warm(supervised),
    ready: () => supervised.ready,
    stop: () => stopAll(supervised),
  }
}

function startProcess(supervised: Supervised): DevAgentProcess {
  const child = supervised.processes.start()
  supervised.all.add(child)
  void child.ended.then(() => {
    supervised.all.delete(child)
    supervised.leaving.delete(child)
    if (supervised.spare === child) supervised.spare = undefined
    if (supervised.serving === child) supervised.serving = undefined
  })
  return child
}

async function load(
  supervised: Supervised,
  command: LoadAgentCommand,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  const child = supervised.spare ?? startProcess(supervised)
  supervised.spare = undefined
  const outcome = await loadInto(child, command, signal)
  if (supervised.isStopped) return outcome
  if (outcome.kind === 'serving') await putInCharge(supervised, child, outcome.isDebugged)
  else if (outcome.kind === 'failed') void dismiss(supervised, child, true)
  else child.kill()
  // The next load then does not wait for Node, the runtime and a compiler to start.
  warm(supervised)
  return outcome
}

async function putInCharge(
  supervised: Supervised,
  child: DevAgentProcess,
  isDebugged: boolean,
): Promise<void> {
  const { serving: previous, clock, listener } = supervised
  supervised.serving = child
  supervised.stopWatching()
  supervised.stopWatching = watchOver(child, isDebugged, clock, listener)
  if (previous !== undefined) await dismiss(supervised, previous, true)
}

function dismiss(
  { leaving, clock, listener }: Supervised,
  child: DevAgentProcess,
  hasSuccessor: boolean,
): Promise<void> {
  leaving.add(child)
  return dismissProcess(child, hasSuccessor, clock, listener.report)
}

function warm(supervised: Supervised): void {
  const child = (supervised.spare ??= startProcess(supervised))
  supervised.ready = new Promise(resolve => {
    child.onReport(report => {
      if (report.kind === 'warm') resolve()
    })
    void child.ended.then(() => resolve())
    child.send({ kind: 'warm' })
  })
}

async function stopAll(supervised: Supervised): Promise<void> {
  const { all, leaving, serving } = supervised
  supervised.isStopped = true
  supervised.stopWatching()
  for (const child of all) {
    if (child === serving && !leaving.has(child)) void dismiss(supervised, child, false)
    else if (!leaving.has(child)) child.kill()
  }
  await Promise.all([...all].map(child => child.ended))
}

function watchOver(
  child: DevAgentProcess,
  isDebugged: boolean,
  clock: Clock,
  listener: SupervisorListener,
): () => void {
  let isOver = false
  const tell = (trouble: Trouble): void => {
    if (isOver) return
    stop()
    // A caller that connects now must not wait for that process.
    if (trouble.kind === 'blocked') child.cutOff()
    listener.trouble(trouble)
  }
  const pulse = watchPulse(clock, {
    ask: () => child.send({ kind: 'ping' }),
    silent: silentMs => tell({ kind: 'blocked', silentMs }),
  })
  const stop = (): void => {
    isOver = true
    pulse.stop()
  }
  if (isDebugged) pulse.stop()
  child.onReport(report => {
    if (report.kind === 'pong') pulse.received()
    else if (report.kind === 'broken') tell({ kind: 'broken', text: report.text })
    else listener.report(report)
  })
  void child.ended.then(exit => tell({ kind: 'ended', exit }))
  return stop
}

/** A process that ends by itself reports that at once; after this time it is no longer awaited. */
const LEAVING_TIMEOUT_MS = 1_000
/** The agent abandons its running jobs after its own grace period (D32); a process that still runs after that never ends. */
const GRACE_MS = SHUTDOWN_GRACE_SECONDS * 1_000 + 2_000

/**
 * Tells a process to leave. Resolves when it accepts no new connections. It may finish its running jobs; when they take
 * longer than allowed, it is killed.
 *
 * @param tell receives its reports until it has ended
 */
export async function dismissProcess(
  child: DevAgentProcess,
  hasSuccessor: boolean,
  clock: Clock,
  tell: (report: Report) => void,
): Promise<void> {
  const cancelKill = clock.after(GRACE_MS, () => child.kill())
  void child.ended.then(cancelKill)
  await new Promise<void>(resolve => {
    const cancel = clock.after(LEAVING_TIMEOUT_MS, resolve)
    const leftOrGone = (): void => {
      cancel()
      resolve()
    }
    child.onReport(report => {
      if (report.kind === 'leaving') leftOrGone()
      else tell(report)
    })
    void child.ended.then(() => leftOrGone())
    child.send({ kind: 'leave', hasSuccessor })
    if (child.isCutOff) leftOrGone()
  })
}

interface Pulse {
  received(): void
  stop(): void
}

const ASK_EVERY_MS = 1_000
/** A handler that computes for a while is acceptable; this many missing responses mean that the process is blocked. */
const SILENT_AFTER = 5

/**
 * Sends a probe every second and reports once when several in a row were not answered. Probes are counted instead of time,
 * so that a laptop's sleep does not count as silence.
 */
export function watchPulse(
  clock: Clock,
  between: { readonly ask: () => void; readonly silent: (silentMs: number) => void },
): Pulse {
  let unanswered = 0
  let cancel = (): void => undefined
  const tick = (): void => {
    if (unanswered >= SILENT_AFTER) return between.silent(unanswered * ASK_EVERY_MS)
    unanswered += 1
    between.ask()
    cancel = clock.after(ASK_EVERY_MS, tick)
  }
  cancel = clock.after(ASK_EVERY_MS, tick)
  return {
    received() {
      unanswered = 0
    },
    stop: () => cancel(),
  }
}

export type LoadOutcome =
  | Serving
  | Failed
  /** The process ended; `exit` is `undefined` when the load was cancelled instead. */
  | { readonly kind: 'ended'; readonly exit: ExitStatus | undefined; readonly sources: Sources }

/** Makes a process load the agent. Resolves when it serves, when it cannot, and when the signal aborts. */
export function loadInto(
  child: DevAgentProcess,
  command: LoadAgentCommand,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  return new Promise(resolve => {
    let sources: Sources = { files: [] }
    child.onReport(report => {
      if (report.kind === 'reading') sources = report.sources
      if (report.kind === 'serving' || report.kind === 'failed') resolve(report)
      if (report.kind === 'broken')
        resolve({ kind: 'failed', text: report.text, isPortTaken: false, sources })
    })
    void child.ended.then(exit => resolve({ kind: 'ended', exit, sources }))
    const giveUp = (): void => resolve({ kind: 'ended', exit: undefined, sources })
    signal.addEventListener('abort', giveUp, { once: true })
    child.send(command)
  })
}
