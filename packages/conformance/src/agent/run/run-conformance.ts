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

/** The agent to check, and what the run may use. */
export interface ConformanceOptions {
  /** `https://agent.example`, with or without a trailing slash. */
  readonly baseUrl: string
  /** Default: the platform's own `fetch`. With another one, checks that need a socket are skipped. */
  readonly fetch?: FetchLike
  /** Default `detect`: determined from the response to a request that cannot be taken for a job. */
  readonly mode?: AgentMode | 'detect'
  /** Without a payer nothing is paid, and in paid mode checks that need a delivered job are skipped. */
  readonly payer?: Payer
  /** What the run's owner knows about the agent. */
  readonly known?: KnownAgent
  /** Ids of checks, or areas: `health`, `about/wallet`. */
  readonly only?: readonly string[]
  /** How long each check waits for the agent in total, without the time of a job. Default: one minute. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Default: the system clock. */
  readonly clock?: Clock
}

/** The result of one check. */
export type CheckResult =
  | { readonly check: Check; readonly outcome: 'passed' }
  | {
      readonly check: Check
      readonly outcome: 'failed'
      readonly expected: string
      /** What the agent responded, in one short line. */
      readonly got: string
      /** Whether there was no response at all: the connection failed, or the time ran out. */
      readonly silent: boolean
      /** Whether the fault is a general one that many checks find, independent of this check's subject. */
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
 * Checks every rule of the contract against a running agent, one after the other, and yields each result as soon as it is
 * known.
 *
 * Safe for agents of other people: without a payer the run sends no payment that could be valid. Forged payments are signed
 * with a key created for the run, whose wallet is empty. In dev mode the run executes jobs with sample input, because they
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

/** A run whose checks are run one after the other. */
export interface ConformanceRun {
  /** How the agent accepts jobs: as detected, or as the options state. */
  readonly mode: AgentMode
  /** All selected checks, in order. A check that does not apply to this agent reports so when it is run. */
  readonly checks: readonly Check[]
  /** Whether the check applies to this agent and this run; the agent's responses may still make it inapplicable. */
  concerns(check: Check): boolean
  /** Runs one check, at most once. Rejects only when `signal` aborts. */
  put(check: Check): Promise<CheckResult>
  /** The declaration from `/about`; `undefined` when the response is not a declaration. */
  declaration(): Promise<Declaration | undefined>
  /** The terms of the first capability, which the run pays for; `undefined` when they cannot be paid. */
  terms(): Promise<Terms | undefined>
  /** What the run has cost so far. */
  spending(): Spending
}

/**
 * Prepares a run in which the caller runs the checks: a test runner with one test for each check, or a command that shows
 * its progress.
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

/** Returns `undefined` for information that the agent does not give; its checks report that. */
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
    // After an abort, errors of the broken connection are not a finding.
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
    // An agent can send a response that no check foresees; that fails one check, not the run.
    const got = `something else: ${error instanceof Error ? error.message : String(error)}`
    const expected = 'an answer of the documented form'
    return { check, outcome: 'failed', expected, got, silent: false, general: false, fix: check.fix }
  }
}

/** Returns which need of the check is not met. */
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
