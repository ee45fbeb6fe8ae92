import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { AgentMode } from '../check/agent-mode.ts'
import type { Check, Knowledge } from '../check/check.ts'
import type { CheckContext, KnownAgent, Payer } from '../check/context.ts'
import { createContext } from './create-context.ts'
import { detectMode } from './detect-mode.ts'
import { listChecks } from './list-checks.ts'
import { createCheckTimeout } from '../exchange/check-timeout.ts'
import type { FetchLike } from '../exchange/send-request.ts'
import { openSpendingBook, type Spending } from './spending.ts'
import type { Terms } from '../check/terms.ts'
import { Mismatch, NoAnswer, NotApplicable, type Missing } from '../exchange/verdicts.ts'

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
  /** How long each check waits for the agent in all, the time of a job to be delivered aside. Default: a minute. */
  readonly timeoutMs?: number
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
      /** Nothing came at all: the connection failed, or the time ran out. */
      readonly silent: boolean
      /** What is wrong is wrong wherever it is met, beside what the check is about. */
      readonly general: boolean
      /** What to change, as a sentence. */
      readonly fix: string
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
 * ```ts
 * import { runConformance } from '@farebox/conformance/agent'
 *
 * for await (const { check, outcome } of runConformance({ baseUrl: 'https://agent.example' })) {
 *   console.log(outcome, check.title)
 * }
 * ```
 */
export async function* runConformance(options: ConformanceOptions): AsyncGenerator<CheckResult, void, void> {
  const { checks, put } = await startRun(options)
  for (const check of checks) yield await put(check)
}

/** A run whose checks are put one after the other. */
export interface ConformanceRun {
  /** How the agent takes jobs: as it was found, or as the options say. */
  readonly mode: AgentMode
  /** All that were asked for, in order; those that do not concern this agent are told so when they are put. */
  readonly checks: readonly Check[]
  /** Whether the check is one for this agent and this run; its answers may still leave nothing to ask. */
  concerns(check: Check): boolean
  /** Puts one check, at most once. Rejects only when `signal` aborts. */
  put(check: Check): Promise<CheckResult>
  /** What `/about` declares; undefined where that is no declaration. */
  declaration(): Promise<Declaration | undefined>
  /** What the first capability asks for, which is the one paid for; undefined where nobody can pay it. */
  terms(): Promise<Terms | undefined>
  /** What it has cost so far. */
  spending(): Spending
}

/**
 * Prepares a run whose checks are put by the caller: by a test runner that wants a test for each, or a command
 * that shows where it is.
 *
 * @example
 * ```ts
 * import { startRun } from '@farebox/conformance/agent'
 * import { expect, test } from 'vitest'
 *
 * const { checks, put } = await startRun({ baseUrl: 'http://localhost:8080' })
 * for (const check of checks)
 *   test(check.title, async () => expect(await put(check)).toMatchObject({ outcome: 'passed' }))
 * ```
 */
export async function startRun(options: ConformanceOptions): Promise<ConformanceRun> {
  const { payer, known } = options
  const timeout = createCheckTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const sending = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    fetch: options.fetch ?? ((request, init) => fetch(request, init)),
    clock: options.clock ?? systemClock,
    signal: options.signal ?? new AbortController().signal,
    timeout,
  }
  const { mode: wanted = 'detect' } = options
  const mode = wanted === 'detect' ? await detectMode(sending) : wanted
  const book = openSpendingBook()
  const context = createContext(sending, { mode, payer, known, book })
  const hasSocket = options.fetch === undefined
  return {
    mode,
    checks: listChecks().filter(check => isWanted(check, options.only)),
    concerns: check => unfit(context, check, hasSocket) === undefined,
    async put(check) {
      sending.signal.throwIfAborted()
      timeout.renew()
      return await runCheck(context, check, hasSocket)
    },
    async declaration() {
      timeout.renew()
      return (await orUndefined(() => context.agent()))?.declaration
    },
    async terms() {
      timeout.renew()
      return mode === 'dev' ? undefined : await orUndefined(() => context.terms())
    },
    spending: book.spending,
  }
}

/** What an agent does not let one know is told by its checks. */
async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NotApplicable || error instanceof Mismatch) return undefined
    throw error
  }
}

const DEFAULT_TIMEOUT_MS = 60_000

async function runCheck(context: CheckContext, check: Check, hasSocket: boolean): Promise<CheckResult> {
  try {
    const refusal = unfit(context, check, hasSocket)
    if (refusal !== undefined) throw refusal
    await check.run(context)
    return { check, outcome: 'passed' }
  } catch (error) {
    // What a broken connection makes of an answer is no finding once nobody wants to know.
    context.signal.throwIfAborted()
    if (error instanceof NotApplicable) {
      return { check, outcome: 'not applicable', missing: error.missing, why: error.message }
    }
    if (error instanceof Mismatch) {
      const { expected, got, fix } = error
      const silent = error instanceof NoAnswer
      const general = fix !== undefined
      return { check, outcome: 'failed', expected, got, silent, general, fix: fix ?? check.fix }
    }
    // A stranger can answer what no check foresees; that is a failure of one check, not of the run.
    const got = `something else: ${error instanceof Error ? error.message : String(error)}`
    const expected = 'an answer of the documented form'
    return { check, outcome: 'failed', expected, got, silent: false, general: false, fix: check.fix }
  }
}

/** What is missing that the check needs. */
function unfit(context: CheckContext, { needs }: Check, hasSocket: boolean): NotApplicable | undefined {
  const { mode, known } = context
  if (!needs.modes.includes(mode))
    return new NotApplicable('mode', `it is asked in ${needs.modes.join(' or ')} mode, this is ${mode}`)
  const unknown = needs.knows.find(what => !isKnown(known, what))
  if (unknown !== undefined) return new NotApplicable('knowledge', `it needs to know the agent: ${unknown}`)
  if (needs.socket && !hasSocket) return new NotApplicable('socket', 'it needs a socket of its own')
  if (needs.payer && mode === 'paid' && !context.hasPayer)
    return new NotApplicable('payer', 'it needs a payer')
  return undefined
}

function isKnown(known: KnownAgent, what: Knowledge): boolean {
  return what === 'fixture' ? known.fixture === true : known[what] !== undefined
}

function isWanted(check: Check, only: readonly string[] | undefined): boolean {
  return only === undefined || only.some(wanted => check.id === wanted || check.id.startsWith(`${wanted}/`))
}
