import { SERVICE_VERSION } from '@farebox/protocol/version'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { FailureReason } from '../../outbound/address/outbound-failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'

/** Why a check failed: no answer, or one that is not the documented one. */
export type CheckReason = FailureReason | 'wrong-status' | 'not-json' | 'not-health' | 'wrong-name'

/** What one check found. */
export type CheckResult =
  | { readonly ok: true; readonly latencyMs: number }
  | { readonly ok: false; readonly reason: CheckReason }

/** Who is checked. */
export interface CheckedAgent {
  /** Canonical base URL. */
  readonly endpoint: string
  /** As registered; empty where none is known yet (Phase 1), so that any is taken. */
  readonly name: string
}

/** D33: an agent that is awake answers in this time. */
const FIRST_TIMEOUT_MS = 5_000

/** D33: a host that scales to zero wakes up in this time (HLT-05). */
const SECOND_TIMEOUT_MS = 30_000

/**
 * One check (D33): up to two attempts at `GET /health`, the second for hosts that must wake up first. It passes with
 * status 200 and the documented JSON under the registered name (HLT-04). Nothing is thrown for what an agent does.
 *
 * @param takeSecondTurn - asked before the second attempt; resolves to what gives the turn back, or to undefined where
 * there is none to be had: then there is no result
 */
export async function checkAgent(
  outbound: Outbound,
  agent: CheckedAgent,
  takeSecondTurn: () => Promise<(() => void) | undefined>,
  signal?: AbortSignal,
): Promise<CheckResult | undefined> {
  const first = await attemptCheck(outbound, agent, FIRST_TIMEOUT_MS, signal)
  // What is refused by its address is not called at all: waiting would not change it.
  if (first.ok || first.reason === 'refused-address') return first
  const giveBack = await takeSecondTurn()
  if (giveBack === undefined) return undefined
  try {
    return await attemptCheck(outbound, agent, SECOND_TIMEOUT_MS, signal)
  } finally {
    giveBack()
  }
}

/** One attempt, of as long as an agent that is awake may take. */
export function checkOnce(
  outbound: Outbound,
  agent: CheckedAgent,
  signal?: AbortSignal,
): Promise<CheckResult> {
  return attemptCheck(outbound, agent, FIRST_TIMEOUT_MS, signal)
}

async function attemptCheck(
  outbound: Outbound,
  { endpoint, name }: CheckedAgent,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const outcome = await outbound.send({
    url: `${endpoint}/health`,
    method: 'GET',
    headers: { accept: 'application/json' },
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
  // Own properties or inherited ones: JSON makes no prototypes.
  const told = health as { readonly name?: unknown; readonly version?: unknown; readonly status?: unknown }
  if (typeof told.name !== 'string' || told.version !== SERVICE_VERSION || told.status !== 'ok') {
    return 'not-health'
  }
  return name === '' || told.name === name ? undefined : 'wrong-name'
}
