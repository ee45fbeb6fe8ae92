import type {
  Registration as TravellingRegistration,
  RegistrationStatus,
} from '@farebox/platform-api/registry'
import type { PlatformParts } from '../platform-parts.ts'
import type { ListingStatus } from '../agents/agent-row.ts'
import type { Registration } from './registrations.ts'

type StatusParts = Pick<PlatformParts, 'database' | 'outbound' | 'settings'>

/** The status of a registration, and other agents staked for its endpoint. */
export interface RegistrationProgress {
  readonly status: RegistrationStatus
  readonly stakedByOthers: TravellingRegistration['staked_by_others']
}

/** An agent at the endpoint, confirmed or not. */
interface Candidate {
  readonly agentId: number
  readonly owner: string
  readonly standing: ListingStatus | 'pending'
  readonly reason: string | undefined
  readonly isRetried: boolean
  readonly transaction: string
  readonly confirmations: number
}

const MAX_OTHERS = 10
/** The best first. */
const STANDINGS: readonly Candidate['standing'][] = [
  'listed',
  'provisional',
  'waiting',
  'pending',
  'taken-down',
  'refused',
]

/**
 * Reads the status of a registration. An agent counts for it when its owner is the wallet in `/about`; in Phase 1 the
 * wallet is unknown, so any agent counts. Agents that others stake for the same endpoint do not end the registration.
 */
export async function readRegistrationStatus(
  parts: StatusParts,
  registration: Registration,
): Promise<RegistrationProgress> {
  const { found } = registration
  const candidates = [
    ...(await readCounted(parts, registration)),
    ...(await readPending(parts, registration)),
  ]
  const isEntitled = ({ owner }: Candidate): boolean => found.phase === 'phase-1' || owner === found.wallet
  const [best] = candidates
    .filter(isEntitled)
    .sort((one, other) => rank(one) - rank(other) || other.agentId - one.agentId)
  return {
    status: best === undefined ? { state: 'waiting_for_stake' } : tell(best, parts),
    stakedByOthers: candidates
      .filter(candidate => !isEntitled(candidate))
      .sort((one, other) => other.agentId - one.agentId)
      .slice(0, MAX_OTHERS)
      .map(({ agentId, owner, reason }) => ({
        agent_id: agentId,
        owner,
        reason: reason ?? 'its owner is not the wallet of /about',
      })),
  }
}

/** The URL of an agent's page. */
function profileUrl({ publicUrl }: PlatformParts['settings'], agentId: number): string {
  return `${publicUrl}/agents/${agentId}`
}

function tell(candidate: Candidate, { settings }: StatusParts): RegistrationStatus {
  const { agentId: agent_id, standing, reason } = candidate
  switch (standing) {
    case 'listed':
    case 'provisional': {
      const provisional = standing === 'provisional'
      const { owner, transaction } = candidate
      const profile_url = profileUrl(settings, agent_id)
      return { state: 'listed', agent_id, owner, transaction, profile_url, provisional }
    }
    case 'waiting':
    case 'pending': {
      const { transaction, confirmations } = candidate
      return {
        state: 'confirming',
        agent_id,
        transaction,
        confirmations: Math.min(confirmations, settings.confirmations),
        confirmations_wanted: settings.confirmations,
      }
    }
    case 'taken-down':
      return { state: 'refused', agent_id, reason: 'was taken down by the operator', retried: false }
    case 'refused':
    case 'deregistered':
      return { state: 'refused', agent_id, reason: reason ?? 'is not listed', retried: candidate.isRetried }
  }
}

function rank({ standing }: Candidate): number {
  return STANDINGS.indexOf(standing)
}

async function readCounted(
  { database, settings }: StatusParts,
  { endpoint }: Registration,
): Promise<readonly Candidate[]> {
  const rows = await database.query<{
    agent_id: string
    owner: string
    standing: ListingStatus
    standing_reason: string | null
    is_retried: boolean
    registered_transaction: string
  }>(
    'read-agents-at',
    `select agent_id, owner, standing, standing_reason, next_refresh_at is not null as is_retried,
       registered_transaction
     from agents where endpoint = $1 and standing <> 'deregistered' order by agent_id desc limit 100`,
    [endpoint],
  )
  return rows.map(row => ({
    agentId: Number(row.agent_id),
    owner: row.owner,
    standing: row.standing,
    reason: row.standing_reason ?? undefined,
    isRetried: row.is_retried,
    transaction: row.registered_transaction,
    confirmations: settings.confirmations,
  }))
}

async function readPending(
  { database, outbound }: StatusParts,
  { endpoint }: Registration,
): Promise<readonly Candidate[]> {
  const rows = await database.query<{
    agent_id: string
    owner: string
    endpoint: string
    transaction: string
    confirmations: string
  }>(
    'read-pending-registrations',
    `select p.agent_id, p.owner, p.endpoint, p.transaction, c.head_number - p.block_number as confirmations
     from registry_pending p, followed_contracts c where c.contract = 'registry' and not exists (select 1 from agents a where a.agent_id = p.agent_id)`,
  )
  return rows
    .filter(row => {
      const verdict = outbound.judge(row.endpoint, row.owner)
      return verdict.ok && verdict.url === endpoint
    })
    .map(row => ({
      agentId: Number(row.agent_id),
      owner: row.owner,
      standing: 'pending',
      reason: undefined,
      isRetried: false,
      transaction: row.transaction,
      confirmations: Math.max(0, Number(row.confirmations)),
    }))
}
