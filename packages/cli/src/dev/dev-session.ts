import { relative } from 'node:path'
import type { Clock } from 'farebox'
import { CommandError } from '../command-error.ts'
import type { World } from '../world.ts'
import type { AgentProcesses } from './supervise/agent-processes.ts'
import { type Announcer, columnsOf } from './screen/announce.ts'
import { type Changes, debounceChanges } from './watch/debounce-changes.ts'
import { type LoadOutcome, superviseAgent, type Trouble } from './supervise/supervise-agent.ts'
import type { LoadCommand, Report, Serving } from './messages/messages.ts'
import { watchSources } from './watch/source-watch.ts'
import { reportOutcomes } from './screen/report-outcomes.ts'

export interface DevSession {
  /**
   * Loads it for the first time and follows its files from then on. Throws a `CommandError` where its port is taken.
   *
   * @param order what is to be loaded; later loads ask for the same, on the port that was found
   */
  begin(command: LoadCommand): Promise<void>
  /** Ends everything; jobs in flight are answered first. Safe to call twice. */
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

/** A load that takes so long waits for something; then a change is not kept waiting by it. */
const SLOW_LOAD_MS = 2_000
const SLOW_LOAD_TOLD_MS = 5_000

/** Starts the first agent process at once; nothing is loaded before {@link DevSession.begin}. */
export function startDevSession(options: SessionOptions): DevSession {
  const { world, announcer, clock } = options
  const supervisor = superviseAgent(options.processes, clock, { trouble: onTrouble, report: onReport })
  if (options.beginsLater) supervisor.warm()
  const sources = watchSources(clock, onChange)
  const debouncer = debounceChanges(clock, { ready: supervisor.ready, act })
  const backoff = createBackoff()
  const reporter = reportOutcomes(announcer)
  let command: LoadCommand | undefined
  let files: readonly string[] = []
  let loading: { readonly sinceMs: number; readonly abort: AbortController } | undefined
  let isStopped = false

  async function begin(first: LoadCommand): Promise<void> {
    command = first
    const sinceMs = clock.nowMs()
    const outcome = await load(first)
    if (outcome.kind === 'failed' && outcome.isPortTaken) throw refusalOf(outcome.text)
    await conclude(outcome, { files: [], sinceMs })
  }

  function onChange(file: string): void {
    debouncer.add(file)
    if (loading !== undefined && clock.nowMs() - loading.sinceMs > SLOW_LOAD_MS) loading.abort.abort()
  }

  /** Loads again if any of what was gathered is another than before. Never rejects. */
  async function act({ files: touched, isForced, sinceMs }: Changes): Promise<void> {
    const changed = await sources.changed(touched)
    if (command === undefined || isStopped) return
    if (changed.length === 0 && !isForced) return sources.lookAgain()
    if (changed.length > 0) backoff.reset()
    options.onLoading()
    await conclude(await load(command), { files: changed, sinceMs })
  }

  async function load(next: LoadCommand): Promise<LoadOutcome> {
    const abort = new AbortController()
    loading = { sinceMs: clock.nowMs(), abort }
    const cancel = clock.after(SLOW_LOAD_TOLD_MS, () =>
      announcer.note('still being loaded: what the handlers await at their top level has not come'),
    )
    await sources.startReading()
    const outcome = await supervisor.load({ ...next, columns: columnsOf(world.out) }, abort.signal)
    cancel()
    loading = undefined
    // It was given up for the sake of a change, which is loaded next.
    if (abort.signal.aborted) debouncer.add()
    return outcome
  }

  async function conclude(
    outcome: LoadOutcome,
    cause: { readonly files: readonly string[]; readonly sinceMs: number },
  ): Promise<void> {
    if (isStopped) return
    if (outcome.kind === 'serving') remember(outcome)
    const names = cause.files.map(file => relative(world.folder, file) || file)
    reporter.outcome(outcome, { files: names, tookMs: clock.nowMs() - cause.sinceMs })
    // What a load that failed did not come to read may still be what is to be fixed.
    files = outcome.kind === 'serving' ? outcome.sources.files : union(files, outcome.sources.files)
    await sources.follow(files)
    sources.lookAgain()
  }

  function remember(serving: Serving): void {
    options.onServing(serving)
    if (command === undefined) return
    // Handlers that were there once are not replaced by samples because somebody moves them.
    const samplesAllowed = command.samplesAllowed && serving.sources.handlers === undefined
    command = { ...command, port: serving.port, samplesAllowed }
  }

  function onReport(report: Report): void {
    if (report.kind !== 'imported') return options.onReport(report)
    files = union(files, report.files)
    void sources.follow(files)
  }

  function onTrouble(trouble: Trouble): void {
    const delayMs = backoff.nextMs(clock.nowMs())
    const when = delayMs === 0 ? 'at once' : `in ${delayMs / 1_000} s`
    reporter.trouble(trouble, `a new process takes over ${when}`)
    clock.after(delayMs, () => debouncer.add())
  }

  return {
    begin,
    async stop() {
      isStopped = true
      debouncer.stop()
      loading?.abort.abort()
      await Promise.all([supervisor.stop(), sources.close()])
    },
  }
}

function union(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])]
}

function refusalOf(text: string): CommandError {
  const [first = '', ...rest] = text.split('\n')
  return new CommandError(first, rest.map(line => line.trim()).join('\n'))
}

interface Backoff {
  /** Each delay is longer than the one before, until {@link Backoff.reset}. */
  nextMs(atMs: number): number
  reset(): void
}

const DELAYS_MS = [0, 250, 1_000, 2_000, 4_000, 8_000] as const
/** After running without a failure for so long, the pauses between restarts begin at the shortest again. */
const FORGET_AFTER_MS = 10_000

/** The first try is at once: most trouble happens once. */
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
