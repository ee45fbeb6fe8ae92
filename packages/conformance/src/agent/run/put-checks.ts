import type { Check } from '../check/check.ts'
import type { CheckResult, ConformanceRun } from './run-conformance.ts'
import { watchSilence } from './watch-silence.ts'

/** What a run came to. */
export interface Findings {
  /** Of all checks that were put and say something, in order. */
  readonly results: readonly CheckResult[]
  /** Why not all were. */
  readonly stopped: Stop | undefined
}

/** Why a run ended before its end. */
export interface Stop {
  readonly reason:
    /** Ctrl-C. */
    | 'interrupted'
    /** The agent answers no more. */
    | 'gone'
    /** It answers, but so late, so often, that the run would not end. */
    | 'slow'
    /** Something answers, but neither `/health` nor `/about` as an agent does: all else would fail alike. */
    | 'no agent'
  /** The last check that got an answer; undefined where none did. */
  readonly after: Check | undefined
}

/** How a run is watched and bounded. */
export interface PutOptions {
  /** What a check waits. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Asks the agent for a sign of life; rejects where there is none. */
  readonly isThere: () => Promise<unknown>
  readonly onCheck: (check: Check, index: number) => void
  readonly onResult: (result: CheckResult) => void
}

/**
 * Puts the checks one after the other. Ends early when nobody answers any more, so that a run against an agent that
 * hangs is over in minutes, when what answers is no agent, and when it is interrupted; what is known by then is kept.
 * An agent that is gone fails no further check: what ended it is the finding.
 *
 * Rejects only for a fault of the kit itself.
 */
export async function putChecks(
  run: ConformanceRun,
  checks: readonly Check[],
  options: PutOptions,
): Promise<Findings> {
  const { signal, onCheck } = options
  const watch = watchSilence(options)
  const notes = createNotes(options)
  for (const [index, check] of checks.entries()) {
    onCheck(check, index)
    const fromMs = performance.now()
    const result = await putOne(run, check, signal)
    if (result === undefined) return notes.stop('interrupted')
    if (result.outcome !== 'failed' || !result.silent) {
      watch.answered()
      notes.keep(result)
      if (isNoAgent(notes.results)) return notes.stop('no agent')
      continue
    }
    notes.holdBack(result)
    const silence = await watch.unanswered(performance.now() - fromMs, index === checks.length - 1)
    if (signal.aborted) return notes.stop('interrupted')
    if (silence === 'gone') return notes.stop('gone')
    if (silence === 'slow') return notes.stop('slow')
    if (silence === 'its own') notes.keep()
  }
  return { results: notes.results, stopped: undefined }
}

/** The two routes that every agent has; either tells one, and so an agent with a fault in the other is checked whole. */
export const SIGNS_OF_AN_AGENT: readonly string[] = ['health/body', 'about/declaration']

function isNoAgent(results: readonly CheckResult[]): boolean {
  return SIGNS_OF_AN_AGENT.every(id =>
    results.some(({ check, outcome }) => check.id === id && outcome === 'failed'),
  )
}

/** Undefined when it was interrupted. */
async function putOne(
  run: ConformanceRun,
  check: Check,
  signal: AbortSignal,
): Promise<CheckResult | undefined> {
  try {
    return await run.put(check)
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

interface Notes {
  readonly results: readonly CheckResult[]
  /** It is not known yet whether that says something of the check, or only that nobody is there. */
  holdBack(result: CheckResult): void
  /** Also what was held back before. */
  keep(result?: CheckResult): void
  stop(reason: Stop['reason']): Findings
}

function createNotes({ onResult }: PutOptions): Notes {
  const results: CheckResult[] = []
  const heldBack: CheckResult[] = []
  let after: Check | undefined
  const keep = (result?: CheckResult): void => {
    const found = [...heldBack.splice(0), ...(result === undefined ? [] : [result])]
    results.push(...found)
    found.forEach(onResult)
    after = result?.check ?? after
  }
  return {
    results,
    holdBack: result => void heldBack.push(result),
    keep,
    stop(reason) {
      if (reason === 'slow') keep()
      return { results, stopped: { reason, after } }
    },
  }
}
