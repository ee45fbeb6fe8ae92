import type { Check } from '../check/check.ts'
import type { CheckResult, ConformanceRun } from './run-conformance.ts'
import { watchSilence } from './watch-silence.ts'

/** The results of a run. */
export interface Findings {
  /** The results of all checks that were run and are meaningful, in order. */
  readonly results: readonly CheckResult[]
  /** Why the run ended early; `undefined` when it did not. */
  readonly stopped: Stop | undefined
}

/** Why a run ended early. */
export interface Stop {
  readonly reason:
    /** Ctrl-C. */
    | 'interrupted'
    /** The agent no longer responds. */
    | 'gone'
    /** The agent responds so late and so often late that the run would take too long. */
    | 'slow'
    /** A server responds, but neither `/health` nor `/about` is that of an agent, so all other checks would fail as well. */
    | 'no agent'
  /** The last check that got a response; `undefined` when none did. */
  readonly after: Check | undefined
}

/** How a run is observed and limited. */
export interface PutOptions {
  /** How long a check waits. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Probes whether the agent responds; rejects when it does not. */
  readonly isThere: () => Promise<unknown>
  readonly onCheck: (check: Check, index: number) => void
  readonly onResult: (result: CheckResult) => void
}

/**
 * Runs the checks one after the other. The run ends early when the agent no longer responds, so that it takes only minutes
 * against an agent that hangs, when the server is not an agent, and when the run is interrupted. The results so far are
 * kept. When the agent stops responding, no further check fails; the check during which it stopped is the finding.
 *
 * Rejects only for a bug of the kit itself.
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

/**
 * The two routes that every agent has. One of them suffices to recognise an agent, so that an agent with a fault in the
 * other is still checked completely.
 */
export const SIGNS_OF_AN_AGENT: readonly string[] = ['health/body', 'about/declaration']

function isNoAgent(results: readonly CheckResult[]): boolean {
  return SIGNS_OF_AN_AGENT.every(id =>
    results.some(({ check, outcome }) => check.id === id && outcome === 'failed'),
  )
}

/** Returns `undefined` when the run was interrupted. */
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
  /** Holds back a result until it is known whether it is a finding of the check, or the agent no longer responds. */
  holdBack(result: CheckResult): void
  /** Keeps the result, and all results held back before. */
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
