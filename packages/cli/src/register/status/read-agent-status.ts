import { systemClock } from '@farebox/protocol/time/clock'
import type { World } from '../../world.ts'
import { findPlatform } from '../platform/find-platform.ts'
import { PlatformRefusal, unlessPlatformRefused } from '../platform/ask-platform.ts'
import { type PlatformAgent, openPlatform, type OpenPlatform } from '../platform/open-platform.ts'
import type { RawAgentOptions } from '../platform/register-options.ts'
import { openRegistrationJournal } from '../platform/registration-journal.ts'
import { type AgentStatus, showAgentStatus } from './show-agent-status.ts'

/** A platform treats a deregistration as final some blocks after it is on the chain. */
const FOLLOWS_WITHIN_S = 900
/** The minimum interval between two requested probes of an agent. */
const LOOK_EVERY_S = 60

/**
 * `farebox register status <agent id>`: makes the platform probe an agent and shows the result. When the platform probed it
 * recently, or no longer probes it, shows the known data.
 */
export async function readAgentStatus(
  world: World,
  agentId: number,
  options: RawAgentOptions,
): Promise<AgentStatus> {
  const { url } = await findPlatform(world, options.platform, agentId)
  const platform = openPlatform(url, world.signal, world.home)
  const nowSeconds = systemClock.nowMs() / 1_000
  const records = await openRegistrationJournal(world.home).list()
  const record = records.find(one => one.platform === url && one.agentId === agentId)
  const endedAt = record?.endedAt
  const status = await refreshStatus(platform, agentId, nowSeconds).catch((error: unknown) => {
    const isGone = error instanceof PlatformRefusal && error.status === 404
    if (endedAt === undefined || !isGone) throw error
    return gone(agentId)
  })
  const isEnding = endedAt !== undefined && nowSeconds - endedAt < FOLLOWS_WITHIN_S
  const problem = isEnding ? null : status.problem
  const told = { ...status, problem, endpoint: status.endpoint ?? record?.endpoint ?? null }
  if (options.json !== true) showAgentStatus(world, told, { nowSeconds, isEnding })
  return told
}

/**
 * Makes the platform probe an agent. Returns the known data when the platform probed it recently, or no longer probes it.
 *
 * @throws {PlatformRefusal} when the platform does not know the agent
 */
export async function refreshStatus(
  platform: OpenPlatform,
  agentId: number,
  nowSeconds: number,
): Promise<AgentStatus> {
  try {
    const found = await platform.refresh(agentId)
    // The place of a problem is shown only when there is one to fix.
    const isWell = found.problem === null && found.payable
    const page = isWell ? undefined : await unlessPlatformRefused(platform.readAgent(agentId))
    return {
      ...found,
      endpoint: page?.endpoint ?? null,
      not_payable: whyNotPayable(page),
      looked_at: nowSeconds,
      is_fresh: true,
    }
  } catch (error) {
    if (!(error instanceof PlatformRefusal) || !MEANS_KNOWN.includes(error.status)) throw error
    const page = await unlessPlatformRefused(platform.readAgent(agentId))
    if (page === undefined) throw error
    const last = await unlessPlatformRefused(platform.readLastLook(agentId))
    return lastKnown(page, last, lookedAtOf(error, nowSeconds))
  }
}

/** 404: deregistered or taken down; 409: changed on the chain in the meantime; 429: probed less than a minute ago. */
const MEANS_KNOWN: readonly number[] = [404, 409, 429]

/** Derives the time of the previous probe from how long the platform says to wait for the next one. */
function lookedAtOf(
  { message, retryAfterSeconds: wait }: PlatformRefusal,
  nowSeconds: number,
): number | null {
  const isTold = wait !== undefined && wait <= LOOK_EVERY_S && message.includes('looked at')
  return isTold ? nowSeconds - (LOOK_EVERY_S - wait) : null
}

function lastKnown(
  agent: PlatformAgent,
  last: { readonly problem: string | null; readonly last_read_at: number | null } | undefined,
  lookedAt: number | null,
): AgentStatus {
  const { refreshed_at: refreshedAt, health, ...known } = agent
  const times = [lookedAt, refreshedAt, health?.checked_at, last?.last_read_at].filter(
    time => typeof time === 'number',
  )
  return {
    agent_id: known.agent_id,
    standing: known.standing,
    standing_reason: known.standing_reason,
    payable: known.payable,
    last_read_at: last?.last_read_at ?? refreshedAt,
    problem: last?.problem ?? (health?.last_failure === 'unreachable' ? 'health: cannot be reached' : null),
    changes: [],
    endpoint: known.endpoint,
    not_payable: whyNotPayable(agent),
    looked_at: times.length === 0 ? null : Math.max(...times),
    is_fresh: false,
  }
}

function whyNotPayable(agent: PlatformAgent | undefined): string | null {
  return agent?.notices.find(({ kind }) => kind === 'not-payable')?.text ?? null
}

function gone(agentId: number): AgentStatus {
  return {
    agent_id: agentId,
    standing: 'deregistered',
    standing_reason: null,
    payable: false,
    last_read_at: null,
    problem: null,
    changes: [],
    endpoint: null,
    not_payable: null,
    looked_at: null,
    is_fresh: false,
  }
}
