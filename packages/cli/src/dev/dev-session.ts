import { relative } from 'node:path'
import type { Clock } from 'farebox'
import { CommandError } from '../command-error.ts'
import type { World } from '../world.ts'
import type { AgentProcesses } from './supervise/agent-processes.ts'
import { type Announcer, columnsOf } from './screen/announce.ts'
import { type ChangeDebouncer, type Changes, debounceChanges } from './watch/debounce-changes.ts'
import {
  type LoadOutcome,
  superviseAgent,
  type Supervisor,
  type Trouble,
} from './supervise/supervise-agent.ts'
import type { LoadAgentCommand, Report, Serving } from './messages/messages.ts'
import { type SourceWatch, watchSources } from './watch/source-watch.ts'
import { type OutcomeReporter, reportOutcomes } from './screen/report-outcomes.ts'

export interface DevSession {
  /**
   * Loads the agent for the first time and watches its files from then on. Throws a `CommandError` when its port is taken.
   *
   * @param order what to load; later loads use the same order, with the port that was found
   */
  begin(command: LoadAgentCommand): Promise<void>
  /** Ends everything after the running jobs are answered. May be called twice. */
  stop(): Promise<void>
}

export interface SessionOptions {
  readonly world: World
  readonly announcer: Announcer
  readonly processes: AgentProcesses
  readonly clock: Clock
  readonly beginsLater: boolean
  readonly onLoading: () => void
  readonly onServing: (serving: Serving) => void
  readonly onReport: (report: Report) => void
}

/** A load that takes longer waits for something external, so a change no longer waits for it. */
const SLOW_LOAD_MS = 2_000
const SLOW_LOAD_TOLD_MS = 5_000

/** A running session. */
interface Session {
  readonly options: SessionOptions
  readonly supervisor: Supervisor
  readonly sources: SourceWatch
  readonly debouncer: ChangeDebouncer
  readonly backoff: Backoff
  readonly reporter: OutcomeReporter
  /** The next load; `undefined` before {@link DevSession.begin}. */
  command: LoadAgentCommand | undefined
  /** The watched files: a change of one of them starts a new load. */
  files: readonly string[]
  loading: { readonly sinceMs: number; readonly abort: AbortController } | undefined
  isStopped: boolean
}

/** Starts the first agent process at once; nothing is loaded before {@link DevSession.begin}. */
export function startDevSession(options: SessionOptions): DevSession {
  const session = createSession(options)
  if (options.beginsLater) session.supervisor.warm()
  return {
    begin: first => begin(session, first),
    async stop() {
      session.isStopped = true
      session.debouncer.stop()
      session.loading?.abort.abort()
      await Promise.all([session.supervisor.stop(), session.sources.close()])
    },
  }
}

function createSession(options: SessionOptions): Session {
  const { announcer, clock, processes } = options
  const supervisor = superviseAgent(processes, clock, {
    trouble: trouble => onTrouble(session, trouble),
    report: report => onReport(session, report),
  })
  const session: Session = {
    options,
    supervisor,
    sources: watchSources(clock, file => onChange(session, file)),
    debouncer: debounceChanges(clock, {
      ready: supervisor.ready,
      act: changes => loadChanged(session, changes),
    }),
    backoff: createBackoff(),
    reporter: reportOutcomes(announcer),
    command: undefined,
    files: [],
    loading: undefined,
    isStopped: false,
  }
  return session
}

async function begin(session: Session, first: LoadAgentCommand): Promise<void> {
  session.command = first
  const sinceMs = session.options.clock.nowMs()
  const outcome = await load(session, first)
  if (outcome.kind === 'failed' && outcome.isPortTaken) throw refusalOf(outcome.text)
  await conclude(session, outcome, { files: [], sinceMs })
}

function onChange({ options, debouncer, loading }: Session, file: string): void {
  debouncer.add(file)
  if (loading !== undefined && options.clock.nowMs() - loading.sinceMs > SLOW_LOAD_MS) loading.abort.abort()
}

/** Loads again if the content of a changed file differs from before. Never rejects. */
async function loadChanged(session: Session, { files: touched, isForced, sinceMs }: Changes): Promise<void> {
  const changed = await session.sources.changed(touched)
  if (session.command === undefined || session.isStopped) return
  if (changed.length === 0 && !isForced) return session.sources.lookAgain()
  if (changed.length > 0) session.backoff.reset()
  session.options.onLoading()
  await conclude(session, await load(session, session.command), { files: changed, sinceMs })
}

async function load(session: Session, next: LoadAgentCommand): Promise<LoadOutcome> {
  const { world, announcer, clock } = session.options
  const abort = new AbortController()
  session.loading = { sinceMs: clock.nowMs(), abort }
  const cancel = clock.after(SLOW_LOAD_TOLD_MS, () =>
    announcer.note('still loading: the handlers wait for something at their top level'),
  )
  await session.sources.startReading()
  const outcome = await session.supervisor.load({ ...next, columns: columnsOf(world.out) }, abort.signal)
  cancel()
  session.loading = undefined
  // The load was cancelled because of a change, which is loaded next.
  if (abort.signal.aborted) session.debouncer.add()
  return outcome
}

async function conclude(
  session: Session,
  outcome: LoadOutcome,
  cause: { readonly files: readonly string[]; readonly sinceMs: number },
): Promise<void> {
  const { sources, options } = session
  if (session.isStopped) return
  if (outcome.kind === 'serving') remember(session, outcome)
  const names = cause.files.map(file => relative(options.world.folder, file) || file)
  session.reporter.outcome(outcome, { files: names, tookMs: options.clock.nowMs() - cause.sinceMs })
  // A file that the failed load did not read may be the one that has to be fixed.
  session.files =
    outcome.kind === 'serving' ? outcome.sources.files : union(session.files, outcome.sources.files)
  await sources.follow(session.files)
  sources.lookAgain()
}

function remember(session: Session, serving: Serving): void {
  session.options.onServing(serving)
  const { command } = session
  if (command === undefined) return
  // Handlers that existed before are not replaced by samples when their file is moved.
  const samplesAllowed = command.samplesAllowed && serving.sources.handlers === undefined
  session.command = { ...command, port: serving.port, samplesAllowed }
}

function onReport(session: Session, report: Report): void {
  if (report.kind !== 'imported') return session.options.onReport(report)
  session.files = union(session.files, report.files)
  void session.sources.follow(session.files)
}

function onTrouble({ options, backoff, reporter, debouncer }: Session, trouble: Trouble): void {
  const delayMs = backoff.nextMs(options.clock.nowMs())
  const when = delayMs === 0 ? 'at once' : `in ${delayMs / 1_000} s`
  reporter.trouble(trouble, `a new process takes over ${when}`)
  options.clock.after(delayMs, () => debouncer.add())
}

function union(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])]
}

function refusalOf(text: string): CommandError {
  const [first = '', ...rest] = text.split('\n')
  return new CommandError(first, rest.map(line => line.trim()).join('\n'))
}

interface Backoff {
  /** Returns a delay longer than the previous one, until {@link Backoff.reset}. */
  nextMs(atMs: number): number
  reset(): void
}

const DELAYS_MS = [0, 250, 1_000, 2_000, 4_000, 8_000] as const
/** After this time without a failure, the delays between restarts start again with the shortest. */
const FORGET_AFTER_MS = 10_000

/** The first retry is immediate, because most failures are one-time failures. */
export function createBackoff(): Backoff {
  let tries = 0
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    nextMs(atMs) {
      if (atMs - lastMs > FORGET_AFTER_MS) tries = 0
      lastMs = atMs
      const delayMs = DELAYS_MS[Math.min(tries, DELAYS_MS.length - 1)] ?? 0
      tries += 1
      return delayMs
    },
    reset() {
      tries = 0
    },
  }
}
