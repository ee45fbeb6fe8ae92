import type { Clock } from 'farebox'
import type { AgentProcess, AgentProcesses, ExitStatus } from './agent-processes.ts'
import { dismissProcess } from './dismiss-process.ts'
import { loadInto, type LoadOutcome } from './load-into.ts'
import type { LoadCommand, Report } from '../messages/messages.ts'
import { watchPulse } from './watch-pulse.ts'

/** Keeps one good version of the agent running. */
export interface Supervisor {
  /**
   * Loads what the order says into a process of its own. Only when that listens is the one before told to go; where it
   * fails, the one before goes on. One load at a time.
   *
   * @param signal gives up a load that does not end
   */
  load(command: LoadCommand, signal: AbortSignal): Promise<LoadOutcome>
  /** Lets the process of the next load get ready. */
  warm(): void
  /** Resolves when that process would begin a load at once. */
  ready(): Promise<void>
  /** Ends every process; jobs in flight are answered first. Safe to call twice. */
  stop(): Promise<void>
}

/** What befell the version that is served. */
export type Trouble =
  | { readonly kind: 'broken'; readonly text: string }
  | { readonly kind: 'ended'; readonly exit: ExitStatus }
  | { readonly kind: 'blocked'; readonly silentMs: number }

/** Who is told between loads. */
export interface SupervisorListener {
  trouble(trouble: Trouble): void
  report(report: Report): void
}

/** The first process starts at once, so that it is ready, or nearly, when the first load comes. */
export function superviseAgent(
  processes: AgentProcesses,
  clock: Clock,
  listener: SupervisorListener,
): Supervisor {
  const all = new Set<AgentProcess>()
  const leaving = new Set<AgentProcess>()
  let spare: AgentProcess | undefined
  let serving: AgentProcess | undefined
  let stopWatching = (): void => undefined
  let ready = Promise.resolve()
  let isStopped = false

  function start(): AgentProcess {
    const child = processes.start()
    all.add(child)
    void child.ended.then(() => {
      all.delete(child)
      leaving.delete(child)
      if (spare === child) spare = undefined
      if (serving === child) serving = undefined
    })
    return child
  }

  function dismiss(child: AgentProcess, hasSuccessor: boolean): Promise<void> {
    leaving.add(child)
    return dismissProcess(child, hasSuccessor, clock, listener.report)
  }

  async function putInCharge(child: AgentProcess, isDebugged: boolean): Promise<void> {
    const previous = serving
    serving = child
    stopWatching()
    stopWatching = watchOver(child, isDebugged, clock, listener)
    if (previous !== undefined) await dismiss(previous, true)
  }

  function warm(): void {
    const child = (spare ??= start())
    ready = new Promise(resolve => {
      child.onReport(report => {
        if (report.kind === 'warm') resolve()
      })
      void child.ended.then(() => resolve())
      child.send({ kind: 'warm' })
    })
  }

  spare = start()
  return {
    async load(command, signal) {
      const child = spare ?? start()
      spare = undefined
      const outcome = await loadInto(child, command, signal)
      if (isStopped) return outcome
      if (outcome.kind === 'serving') await putInCharge(child, outcome.isDebugged)
      else if (outcome.kind === 'failed') void dismiss(child, true)
      else child.kill()
      // The next load will not have to wait for Node, the runtime and a compiler to start.
      warm()
      return outcome
    },
    warm,
    ready: () => ready,
    async stop() {
      isStopped = true
      stopWatching()
      for (const child of all) {
        if (child === serving && !leaving.has(child)) void dismiss(child, false)
        else if (!leaving.has(child)) child.kill()
      }
      await Promise.all([...all].map(child => child.ended))
    },
  }
}

/** Tells of the first trouble of the process that serves, until it is watched no longer. */
function watchOver(
  child: AgentProcess,
  isDebugged: boolean,
  clock: Clock,
  listener: SupervisorListener,
): () => void {
  let isOver = false
  const tell = (trouble: Trouble): void => {
    if (isOver) return
    stop()
    // Whoever comes now must not wait for it.
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
    if (report.kind === 'pong') pulse.heard()
    else if (report.kind === 'broken') tell({ kind: 'broken', text: report.text })
    else listener.report(report)
  })
  void child.ended.then(exit => tell({ kind: 'ended', exit }))
  return stop
}
