import { systemClock, type Clock } from '../../clock.ts'
import type { AgentMode, Check, Knowledge } from './check.ts'
import { Mismatch, NotApplicable, type Missing } from './verdicts.ts'
import type { CheckContext, KnownAgent, Payer } from './context.ts'
import { createContext } from './create-context.ts'
import { detectMode } from './detect-mode.ts'
import { listChecks } from './list-checks.ts'
import type { FetchLike } from './send-request.ts'

/** Which agent is to be checked, and what the run may use. */
export interface ConformanceOptions {
  /** `https://agent.example`, with or without a trailing slash. */
  readonly baseUrl: string
  /** Default: the platform's own `fetch`. With another one, checks that need a socket are left out. */
  readonly fetch?: FetchLike
  /** Default `detect`: by what the agent answers to a request that nobody could take for a job. */
  readonly mode?: AgentMode | 'detect'
  /** Without one nothing is ever paid, and checks that need a delivered job are left out in paid mode. */
  readonly payer?: Payer
  /** What is known of an agent of one's own. */
  readonly known?: KnownAgent
  /** Ids of checks, or areas: `health`, `about/wallet`. */
  readonly only?: readonly string[]
  readonly signal?: AbortSignal
  /** Default: the machine's own. */
  readonly clock?: Clock
}

/** What became of one check. */
export type CheckResult =
  | { readonly check: Check; readonly outcome: 'passed' }
  | {
      readonly check: Check
      readonly outcome: 'failed'
      readonly expected: string
      /** What came, in one short line. */
      readonly got: string
      /** What to change, as a sentence. */
      readonly mend: string
    }
  | {
      readonly check: Check
      readonly outcome: 'not applicable'
      readonly missing: Missing
      readonly why: string
    }

/**
 * Puts every rule of the contract to a running agent, one after the other, and yields each result as it is
 * known.
 *
 * Safe towards strangers: without a payer it sends no payment that could be good. Forged ones are signed with
 * a key made up for the run, whose wallet is empty. In dev mode it runs jobs with sample input, because they
 * are free.
 *
 * Rejects only when `signal` aborts; an agent that cannot be reached fails its checks.
 *
 * @example
 * for await (const result of runConformance({ baseUrl: 'https://agent.example' })) {
 *   console.log(formatResult(result))
 * }
 */
export async function* runConformance(options: ConformanceOptions): AsyncGenerator<CheckResult, void, void> {
  const run = await startRun(options)
  for (const check of listChecks()) {
    if (isWanted(check, options.only)) yield await run(check)
  }
}

/**
 * Prepares a run whose checks are called one by one, each at most once: for test runners that want a test for
 * each.
 *
 * @example
 * const run = await startRun({ baseUrl })
 * for (const check of listChecks()) test(check.title, async () => expect(await run(check)).toMatchObject({
 * outcome: 'passed' }))
 */
export async function startRun(options: ConformanceOptions): Promise<(check: Check) => Promise<CheckResult>> {
  const { payer, known } = options
  const sending = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    fetch: options.fetch ?? (request => fetch(request)),
    clock: options.clock ?? systemClock,
    signal: options.signal ?? new AbortController().signal,
  }
  const { mode: wanted = 'detect' } = options
  const mode = wanted === 'detect' ? await detectMode(sending) : wanted
  const context = createContext(sending, { mode, payer, known })
  const hasSocket = options.fetch === undefined
  return async check => {
    sending.signal.throwIfAborted()
    return await runCheck(context, check, hasSocket, sending.signal)
  }
}

async function runCheck(
  context: CheckContext,
  check: Check,
  hasSocket: boolean,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    refuseUnfit(context, check, hasSocket)
    await check.run(context)
    return { check, outcome: 'passed' }
  } catch (error) {
    if (error instanceof NotApplicable) {
      return { check, outcome: 'not applicable', missing: error.missing, why: error.message }
    }
    if (error instanceof Mismatch) {
      return { check, outcome: 'failed', expected: error.expected, got: error.got, mend: check.mend }
    }
    signal.throwIfAborted()
    // A stranger can answer what no check foresees; that is a failure of one check, not of the run.
    const got = `something else: ${error instanceof Error ? error.message : String(error)}`
    return { check, outcome: 'failed', expected: 'an answer of the documented form', got, mend: check.mend }
  }
}

/** Throws `NotApplicable` where something is missing that the check needs. */
function refuseUnfit(context: CheckContext, { needs }: Check, hasSocket: boolean): void {
  const { mode, known } = context
  if (!needs.modes.includes(mode))
    throw new NotApplicable('mode', `it is asked in ${needs.modes.join(' or ')} mode, this is ${mode}`)
  const unknown = needs.knows.find(what => !isKnown(known, what))
  if (unknown !== undefined) throw new NotApplicable('knowledge', `it needs to know the agent: ${unknown}`)
  if (needs.socket && !hasSocket) throw new NotApplicable('socket', 'it needs a socket of its own')
  if (needs.payer && mode === 'paid') context.payer()
}

function isKnown(known: KnownAgent, what: Knowledge): boolean {
  return what === 'fixture' ? known.fixture === true : known[what] !== undefined
}

function isWanted(check: Check, only: readonly string[] | undefined): boolean {
  return only === undefined || only.some(wanted => check.id === wanted || check.id.startsWith(`${wanted}/`))
}
