import { printable } from '@farebox/conformance/internal/printable'
import type { AgentHealth } from '@farebox/platform-api/monitor'
import type { Registration, RegistrationStatus } from '@farebox/platform-api/registry'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError } from '../../command-error.ts'
import { asTyped, paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { noteChange } from '../transaction/note-change.ts'
import { PlatformRefusal } from '../platform/ask-platform.ts'
import { type PlatformAgent, openPlatform, type OpenPlatform } from '../platform/open-platform.ts'
import { isSameEndpoint } from '../examination/read-endpoint.ts'
import { refreshStatus } from './read-agent-status.ts'
import { toFix } from './show-agent-status.ts'
import type {
  ChangeRecord,
  RegistrationJournal,
  RegistrationRecord,
} from '../platform/registration-journal.ts'

export interface StatusLine {
  readonly agent_id: number | null
  readonly endpoint: string
  readonly platform: string
  readonly status: RegistrationStatus | AgentState | null
  /** Why the platform's data is missing. */
  readonly problem?: string
  readonly register_page_url?: string
  readonly availability?: AgentHealth['availability']
  /** For a listed agent: its current problem, as shown by `register status <agent id>`. */
  readonly to_fix?: string | null
  readonly under_way?: Pick<ChangeRecord, 'kind' | 'endpoint' | 'hash'>
}

/** The state of a registration that has an agent number. */
type AgentState =
  | { readonly state: 'deregistered'; readonly agent_id: number | null }
  /** The agent was moved from this machine; the platform does not know it yet and still lists it at `from`. */
  | { readonly state: 'moving'; readonly agent_id: number; readonly from: string }
  /** The data of its page, which does not contain the stake. */
  | {
      readonly state: 'listed'
      readonly agent_id: number
      readonly profile_url: string
      readonly provisional: boolean
    }
  /** Staked, and not probed yet. */
  | { readonly state: 'waiting'; readonly agent_id: number }

/** A platform treats a change as final some blocks after it is on the chain. */
const FOLLOWS_WITHIN_S = 900

interface Asked {
  readonly journal: RegistrationJournal
  readonly record: RegistrationRecord
  readonly platform: OpenPlatform
  readonly change: ChangeRecord | undefined
}

export async function readStatusLine(
  journal: RegistrationJournal,
  record: RegistrationRecord,
  { signal, home }: Pick<World, 'signal' | 'home'>,
): Promise<StatusLine> {
  const { platform: url, endpoint, agentId, endedAt } = record
  const line = { agent_id: agentId ?? null, endpoint, platform: url }
  if (endedAt !== undefined) return { ...line, status: { state: 'deregistered', agent_id: line.agent_id } }
  const change = agentId === undefined ? undefined : await journal.change({ platform: url, agentId }).read()
  const asked = { journal, record, platform: openPlatform(url, signal, home), change }
  try {
    const told = await withLook(asked, { ...line, ...(await ask(asked)) })
    const isOpen =
      agentId !== undefined && (await journal.change({ platform: url, agentId }).read()) !== undefined
    if (change === undefined || !isOpen) return told
    const { kind, endpoint: to, hash } = change
    return { ...told, under_way: { kind, endpoint: to, hash } }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { ...line, status: null, problem: error.message }
  }
}

/** Probes an agent that was listed before, because it may be down now; the platform probes it as for a single agent. */
async function withLook({ platform }: Asked, line: StatusLine): Promise<StatusLine> {
  if (line.status?.state !== 'listed') return line
  try {
    const nowSeconds = systemClock.nowMs() / 1_000
    const { problem, not_payable: why } = await refreshStatus(platform, line.status.agent_id, nowSeconds)
    return { ...line, to_fix: problem ?? why }
  } catch (error) {
    if (error instanceof CommandError) return line
    throw error
  }
}

type ReportedStatus = Partial<StatusLine> & Pick<StatusLine, 'status'>

/**
 * Requests the current state. A registration belongs to an endpoint: its agent may have moved or been deregistered since.
 */
async function ask(asked: Asked): Promise<ReportedStatus> {
  const { journal, record, platform } = asked
  const { agentId, registrationId } = record
  const registration = await orNotThere(platform.readRegistration(registrationId))
  if (agentId === undefined) {
    if (registration instanceof PlatformRefusal) throw registration
    const number = numberOf(registration)
    if (number !== undefined) await journal.registration(record).write({ ...record, agentId: number })
    return statusOf(registration)
  }
  const isForgotten = registration instanceof PlatformRefusal
  if (!isForgotten && numberOf(registration) === agentId)
    return { ...statusOf(registration), ...(await readAvailability(platform, registration, agentId)) }
  const agent = await orNotThere(platform.readAgent(agentId))
  const isAnother =
    isForgotten && 'endpoint' in agent && !isSameEndpoint(agent.endpoint ?? '', record.endpoint)
  if (agent instanceof PlatformRefusal || isAnother) {
    if (isForgotten) throw registration
    return { status: null, problem: 'nobody stakes for it here any more: it was moved, or deregistered' }
  }
  const isEnded = agent.standing === 'deregistered'
  const successor = isForgotten ? undefined : numberOf(registration)
  if (!isEnded || isForgotten || successor === undefined) return await toldByPage(asked, agentId, agent)
  // The endpoint was registered again, in a browser or on another machine.
  await journal.registration(record).write({ ...record, agentId: successor })
  return statusOf(registration)
}

/** A platform's response that something does not exist is not a failure here. */
async function orNotThere<T>(asked: Promise<T>): Promise<T | PlatformRefusal> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PlatformRefusal && error.status === 404) return error
    throw error
  }
}

/** Reads the availability, because a registration contains no later checks. */
async function readAvailability(
  platform: OpenPlatform,
  { status }: Registration,
  agentId: number,
): Promise<Pick<StatusLine, 'availability'>> {
  if (status.state !== 'listed') return {}
  try {
    return availabilityOf(await platform.readAgent(agentId))
  } catch (error) {
    if (error instanceof CommandError) return {}
    throw error
  }
}

function availabilityOf({ health }: PlatformAgent): Pick<StatusLine, 'availability'> {
  return health === null ? {} : { availability: health.availability }
}

function statusOf(registration: Registration): ReportedStatus {
  const { status, register_page_url: page } = registration
  const number = numberOf(registration)
  if (number !== undefined) return { agent_id: number, status }
  return { status, register_page_url: page }
}

function numberOf({ status }: Registration): number | undefined {
  return 'agent_id' in status ? status.agent_id : undefined
}

async function toldByPage(
  { journal, record, change }: Asked,
  agentId: number,
  agent: PlatformAgent,
): Promise<ReportedStatus> {
  const { platform, endpoint, movedAt = 0 } = record
  const nowMs = systemClock.nowMs()
  if (agent.standing === 'deregistered') {
    await noteChange(journal, { platform, agentId, kind: 'deregister', endpoint }, nowMs)
    return { status: { state: 'deregistered', agent_id: agentId } }
  }
  const at = agent.endpoint ?? endpoint
  if (change?.kind === 'update' && isSameEndpoint(at, change.endpoint))
    await noteChange(journal, change, nowMs)
  else if (!isSameEndpoint(at, endpoint) && nowMs / 1_000 - movedAt < FOLLOWS_WITHIN_S) {
    return { status: { state: 'moving', agent_id: agentId, from: at } }
  }
  return { endpoint: at, status: stateOf(platform, agentId, agent), ...availabilityOf(agent) }
}

function stateOf(platform: string, agentId: number, agent: PlatformAgent): RegistrationStatus | AgentState {
  const { standing, standing_reason: reason } = agent
  if (standing === 'waiting') return { state: 'waiting', agent_id: agentId }
  if (standing === 'listed' || standing === 'provisional') {
    const profileUrl = `${platform}/agents/${agentId}`
    const provisional = standing === 'provisional'
    return { state: 'listed', agent_id: agentId, profile_url: profileUrl, provisional }
  }
  const told = reason ?? (standing === 'taken-down' ? 'was taken down by the operator' : 'is not listed')
  return { state: 'refused', agent_id: agentId, reason: told, retried: false }
}

export function tellStatusLine(world: World, line: StatusLine): string {
  const { bold, dim, red } = paintFor(world.out)
  const { agent_id: agentId, endpoint, platform, under_way: change, to_fix: problem } = line
  const number = agentId === null ? 'no number yet' : `agent ${agentId}`
  const rows = [inWords(line), ...(change === undefined ? [] : inWordsOf(change, agentId ?? 0))]
  const fix =
    problem === undefined || problem === null
      ? []
      : toFix({ agent_id: agentId ?? 0, endpoint }, problem).map(printable)
  return [
    `${bold(number)}   ${printable(endpoint)}   ${dim(printable(platform))}\n`,
    ...rows.map(row => `  ${asTyped(world, row)}\n`),
    ...fix.map((row, index) => (index === 0 ? `  ${red('✗')} ${row}\n` : `    ${asTyped(world, row)}\n`)),
  ].join('')
}

function inWordsOf(
  { kind, endpoint, hash }: NonNullable<StatusLine['under_way']>,
  agentId: number,
): readonly string[] {
  const to = printable(endpoint)
  return kind === 'update'
    ? [`moving to ${to} by ${hash}`, `  farebox register update ${agentId} --endpoint ${to} follows it`]
    : [`being deregistered by ${hash}`, `  farebox deregister ${agentId} follows it`]
}

function inWords({ status, problem, register_page_url: page, availability }: StatusLine): string {
  switch (status?.state) {
    case undefined:
      return printable(problem ?? 'not known')
    case 'waiting_for_stake':
      return `waiting for the stake: ${printable(page ?? '')}`
    case 'confirming':
      return `staked, ${status.confirmations} of ${status.confirmations_wanted} blocks`
    case 'waiting':
      return 'staked, the platform looks at it soon'
    case 'moving':
      return `moved from ${printable(status.from)}; the platform follows in a few blocks`
    case 'deregistered':
      return 'deregistered, its stake was returned'
    case 'listed':
      return `listed${status.provisional ? ' as provisional (Phase 1)' : ''}${availability === 'offline' ? ', offline' : ''}: ${printable(status.profile_url)}`
    case 'refused':
      return `not listed: ${printable(status.reason)}`
  }
}
