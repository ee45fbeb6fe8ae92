import type { OwnerNotice } from '@farebox/platform-api/me/owner-dashboard'
import type { AgentRow } from '../agents/agent-row.ts'
import { availabilityOf } from '../agents/availability.ts'
import type { LostOrders } from './find-lost-orders.ts'
import type { AgentChecks } from './read-agent-checks.ts'

/** Most serious first: notices that stop an agent's orders now come before those that will stop them later. */
const GRAVITY: readonly OwnerNotice['kind'][] = [
  'taken_down',
  'refused',
  'offline',
  'not_payable',
  'provisional',
  'breaks_flows',
  'warned',
  'not_read',
]

/** What owners should act on, for agents that still have their stake; the most serious first. Pure. */
export function findNotices(
  agents: readonly AgentRow[],
  checksOf: (agentId: number) => AgentChecks,
  lostOrders: readonly LostOrders[],
): readonly OwnerNotice[] {
  return agents
    .flatMap(agent => {
      const notices = [
        ...noticesOfStanding(agent),
        ...noticesOfChecks(agent, checksOf(agent.agentId)),
        ...noticesOfFlows(lostOrders.filter(({ agentId }) => agentId === agent.agentId)),
      ]
      return notices.map(({ kind, text, sinceMs }) => ({
        kind,
        agent_id: agent.agentId,
        name: agent.name,
        text,
        since: sinceMs === undefined ? null : Math.floor(sinceMs / 1_000),
      }))
    })
    .toSorted(
      (one, other) =>
        GRAVITY.indexOf(one.kind) - GRAVITY.indexOf(other.kind) || one.agent_id - other.agent_id,
    )
}

interface Found {
  readonly kind: OwnerNotice['kind']
  readonly text: string
  readonly sinceMs: number | undefined
}

function noticesOfStanding(agent: AgentRow): readonly Found[] {
  const { standing, standingReason, standingSinceMs: sinceMs, inspectionProblem } = agent
  const because = standingReason === undefined ? '' : `: ${standingReason}`
  switch (standing) {
    case 'taken-down':
      return [{ kind: 'taken_down', text: `The operator took it down${because}`, sinceMs }]
    case 'refused':
      return [{ kind: 'refused', text: `It is not listed${because}`, sinceMs }]
    case 'provisional':
      return [{ kind: 'provisional', text: 'It serves no /about: nobody can pay it', sinceMs }]
    case 'listed':
      return [...noticesOfPay(agent), ...noticesOfReading(agent, inspectionProblem)]
    case 'waiting':
    case 'deregistered':
      return []
  }
}

function noticesOfPay(agent: AgentRow): readonly Found[] {
  const { wallet, provenWallet, paymentProblem, paymentProblemSinceMs: sinceMs } = agent
  if (wallet !== undefined && wallet === provenWallet) {
    if (paymentProblem === undefined) return []
    const text = `Nobody is sent to pay it: ${paymentProblem}. Fix it, then have the platform look again`
    return [{ kind: 'not_payable', text, sinceMs }]
  }
  const proven = provenWallet ?? 'none'
  const text = `Nobody is sent to pay it: /about names the wallet ${wallet ?? 'of nobody'}, the proven one is ${proven}`
  return [{ kind: 'not_payable', text, sinceMs: undefined }]
}

function noticesOfReading({ refreshedAtMs }: AgentRow, problem: string | undefined): readonly Found[] {
  if (problem === undefined) return []
  const text = `The last look at it failed, what it declared before stands: ${problem}`
  return [{ kind: 'not_read', text, sinceMs: refreshedAtMs }]
}

function noticesOfChecks(
  { standing }: AgentRow,
  { failures, last_ok_at: lastOkAt }: AgentChecks,
): readonly Found[] {
  if ((standing !== 'listed' && standing !== 'provisional') || failures === null) return []
  const { isOffline, isWarned } = availabilityOf(failures)
  const sinceMs = lastOkAt?.getTime()
  const failed = `${failures} checks of /health in a row have failed`
  if (isOffline)
    return [{ kind: 'offline', text: `It is offline and hidden from the search: ${failed}`, sinceMs }]
  return isWarned ? [{ kind: 'warned', text: `Its badge is shown one step lower: ${failed}`, sinceMs }] : []
}

function noticesOfFlows(lost: readonly LostOrders[]): readonly Found[] {
  if (lost.length === 0) return []
  const flows = lost.reduce((sum, one) => sum + one.flows, 0)
  const names = lost.slice(0, MOST_NAMED).map(({ capability }) => `“${capability}”`)
  const others = lost.length > names.length ? ` and ${lost.length - names.length} more` : ''
  const which = `${flows === 1 ? 'A flow that is kept here orders' : `${flows} flows that are kept here order`} ${names.join(', ')}${others}`
  return [{ kind: 'breaks_flows', text: `${which}, which it offers no more`, sinceMs: undefined }]
}

const MOST_NAMED = 3
