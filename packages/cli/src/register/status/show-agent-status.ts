import { printable } from '@farebox/conformance/internal/printable'
import type { Refreshed } from '@farebox/platform-api/registry'
import { isOnLoopback } from '../../keys/local-economy.ts'
import { asTyped, paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'

export interface AgentStatus extends Refreshed {
  readonly endpoint: string | null
  /** Why callers are not directed to pay the agent, in a sentence. */
  readonly not_payable: string | null
  /** Unix seconds; null when it was never probed. */
  readonly looked_at: number | null
  /** False when the platform did not probe the agent for this request. */
  readonly is_fresh: boolean
}

const NAME_COLUMNS = 11

/**
 * Shows the known status of an agent, with the problems to fix first.
 *
 * @param isEnding whether it was deregistered from this machine a moment ago
 */
export function showAgentStatus(
  world: World,
  status: AgentStatus,
  { nowSeconds, isEnding }: { readonly nowSeconds: number; readonly isEnding: boolean },
): void {
  const { out } = world
  const { dim, red } = paintFor(out)
  const { agent_id: agentId, standing, changes, looked_at: lookedAt } = status
  const isEnded = isEnding || standing === 'deregistered'
  const problem = isEnded ? null : status.problem
  if (problem !== null) {
    const [what, next] = toFix(status, problem)
    out.write(`${red('✗')} ${printable(what)}\n  ${asTyped(world, printable(next))}\n\n`)
  }
  const rows: readonly (readonly [string, string])[] = [
    ['agent', String(agentId)],
    ['listing', isEnded ? ended(standing) : listingOf(status)],
    ...(isEnded ? [] : [['paid jobs', paidJobsOf(status, problem)] as const]),
    ...changes.map(({ sentence }) => ['changed', sentence] as const),
    ...(status.is_fresh || isEnded ? [] : [['looked at', ago(lookedAt, nowSeconds)] as const]),
  ]
  out.write(rows.map(([name, text]) => `${dim(name.padEnd(NAME_COLUMNS))}${printable(text)}\n`).join(''))
}

export function toFix(
  { agent_id: agentId, endpoint }: Pick<AgentStatus, 'agent_id' | 'endpoint'>,
  problem: string,
): readonly [string, string] {
  const then = 'then run the same command again in a minute'
  if (!isSilent(problem)) {
    const check = endpoint === null ? 'farebox check <url>' : `farebox check ${endpoint}`
    return [`agent ${agentId}: ${problem}`, `${check} shows how to fix it; ${then}`]
  }
  const what = problem.includes('cannot be reached') ? 'cannot be reached' : 'does not answer in time'
  const next =
    endpoint === null || isOnLoopback(endpoint)
      ? 'is it running? farebox start starts it'
      : `is it running, and open to everybody? curl ${endpoint}/health`
  const at = endpoint === null ? '' : ` at ${endpoint}`
  return [`agent ${agentId} ${what}${at}`, `${next}; ${then}`]
}

/** Returns whether the agent does not respond to callers. */
function isSilent(problem: string | null): boolean {
  return problem !== null && /cannot be reached|takes longer than/.test(problem)
}

function listingOf({ standing, standing_reason: reason, problem }: AgentStatus): string {
  return reason === null || reason === problem ? standing : `${standing}: ${reason}`
}

function ended(standing: AgentStatus['standing']): string {
  const text = 'deregistered, its stake was returned'
  return standing === 'deregistered' ? text : `${text}; the platform follows in a few blocks`
}

function paidJobsOf({ payable, standing, not_payable: why }: AgentStatus, problem: string | null): string {
  if (payable) return isSilent(problem) ? 'fail until it answers again' : 'are sent to it'
  return standing === 'listed' && why !== null ? `are not sent to it: ${why}` : 'are not sent to it'
}

function ago(seconds: number | null, nowSeconds: number): string {
  if (seconds === null) return 'not yet'
  const passed = Math.max(0, Math.round(nowSeconds - seconds))
  const [count, unit] =
    passed < 120
      ? [passed, 's']
      : passed < 7_200
        ? [Math.floor(passed / 60), 'min']
        : [Math.floor(passed / 3_600), 'h']
  return `${count} ${unit} ago${passed < 60 ? '; the platform looks once a minute at most' : ''}`
}
