import { SERVICE_VERSION } from '@farebox/protocol/version'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { FailureReason } from '../../outbound/address/outbound-failure.ts'
import type { CalledAgent, Outbound } from '../../outbound/outbound.ts'

/** Why a check failed: either there was no response, or the response is not the documented one. */
export type CheckReason = FailureReason | 'wrong-status' | 'not-json' | 'not-health' | 'wrong-name'

/** The result of one check. */
export type CheckResult =
  | { readonly ok: true; readonly latencyMs: number }
  | { readonly ok: false; readonly reason: CheckReason }

/** The agent that a check calls. */
export interface CheckedAgent extends CalledAgent {
  /** As registered. Empty while the name is not known (Phase 1); then any name passes. */
  readonly name: string
}

/** D33: an agent that is awake responds within this time. */
const FIRST_TIMEOUT_MS = 5_000

/** D33: a host that scales to zero wakes up within this time (HLT-05). */
const SECOND_TIMEOUT_MS = 30_000

/**
 * Runs one check (D33): up to two attempts at `GET /health`, the second for hosts that must wake up first. The check
 * passes when the response has status 200 and the documented JSON with the registered name (HLT-04). Nothing the agent
 * does makes this function throw.
 *
 * @param takeSecondTurn - called before the second attempt; resolves to a function that releases the slot, or to
 * undefined when no slot is free
 * @returns the result, or undefined when there was no slot for the second attempt
 */
export async function checkAgent(
  outbound: Outbound,
  agent: CheckedAgent,
  takeSecondTurn: () => Promise<(() => void) | undefined>,
  signal?: AbortSignal,
): Promise<CheckResult | undefined> {
  const first = await attemptCheck(outbound, agent, FIRST_TIMEOUT_MS, signal)
  // An address that the outbound guard refuses is never called, so a second attempt would not change the result.
  if (first.ok || first.reason === 'refused-address') return first
  const giveBack = await takeSecondTurn()
  if (giveBack === undefined) return undefined
  try {
    return await attemptCheck(outbound, agent, SECOND_TIMEOUT_MS, signal)
  } finally {
    giveBack()
  }
}

/** Runs one attempt with the timeout for an agent that is awake. */
export function checkOnce(
  outbound: Outbound,
  agent: CheckedAgent,
  signal?: AbortSignal,
): Promise<CheckResult> {
  return attemptCheck(outbound, agent, FIRST_TIMEOUT_MS, signal)
}

async function attemptCheck(
  outbound: Outbound,
  { endpoint, calledFor, name }: CheckedAgent,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const outcome = await outbound.send({
    url: `${endpoint}/health`,
    method: 'GET',
    headers: { accept: 'application/json' },
    calledFor,
    maxBytes: PROBE_LIMITS.maxBytes,
    timeoutMs,
    ...(signal !== undefined && { signal }),
  })
  if (outcome.kind === 'failed') return { ok: false, reason: outcome.reason }
  if (outcome.status !== 200) return { ok: false, reason: 'wrong-status' }
  const reason = judgeHealth(outcome.body, name)
  return reason === undefined ? { ok: true, latencyMs: Math.round(outcome.elapsedMs) } : { ok: false, reason }
}

function judgeHealth(body: string, name: string): CheckReason | undefined {
  let health: unknown
  try {
    health = JSON.parse(body)
  } catch {
    return 'not-json'
  }
  if (typeof health !== 'object' || health === null) return 'not-health'
  // Own and inherited properties need not be distinguished: `JSON.parse` creates no custom prototypes.
  const told = health as { readonly name?: unknown; readonly version?: unknown; readonly status?: unknown }
  if (typeof told.name !== 'string' || told.version !== SERVICE_VERSION || told.status !== 'ok') {
    return 'not-health'
  }
  return name === '' || told.name === name ? undefined : 'wrong-name'
}
