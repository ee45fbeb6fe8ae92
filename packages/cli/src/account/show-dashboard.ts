import { printable } from '@farebox/conformance/internal/printable'
import { agentBadge, type AgentBadge } from '@farebox/platform-api/badges'
import {
  agentHealth,
  type AgentHealth,
  type Webhook,
  webhook as ownWebhook,
} from '@farebox/platform-api/monitor'
import {
  type AgentDashboard,
  dashboard as agentDashboard,
  type Secret,
  secrets as ownSecrets,
  settlementLimit,
  type SettlementLimit,
} from '@farebox/platform-api/owners'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError, type ExitCode, usageError } from '../command-error.ts'
import { readAgentNumber } from '../terminal/read-option.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { asTyped, many, paintFor, type ScreenPaint, untilTime } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { listAgents, openAccount, type OpenAccount, type OwnedAgent } from './open-account.ts'
import { describeBadge } from './describe-badge.ts'
import { describeNotice, webhookOf } from './manage-webhook.ts'
import { spellAddress } from '../keys/spell-address.ts'
import { unlessPlatformRefused } from '../register/platform/ask-platform.ts'

export interface RawDashboardOptions {
  readonly platform?: string
  readonly json?: true
  readonly days?: string
}

/** One agent on the dashboard. Unknown values are `undefined`. */
interface ShownAgent {
  readonly agent: OwnedAgent
  readonly dashboard: AgentDashboard
  readonly health: AgentHealth | undefined
  readonly badge: AgentBadge | undefined
  readonly webhook: Webhook | undefined
}

/**
 * `farebox dashboard`: shows the owner's agents with listing status, availability, badge, jobs and earnings, and the
 * secrets.
 *
 * @param agentId selects one agent; `undefined` selects all
 */
export async function showDashboard(
  world: World,
  agentId: string | undefined,
  raw: RawDashboardOptions,
): Promise<ExitCode> {
  return await runWithJson(
    world,
    raw,
    async () => {
      const days = readDays(raw.days)
      const wanted = agentId === undefined ? undefined : readAgentNumber(agentId)
      const account = await openAccount(world, raw.platform)
      const { ask } = account
      const agents = (await listAgents(account)).filter(
        one => wanted === undefined || one.agent_id === wanted,
      )
      if (wanted !== undefined && agents.length === 0) {
        throw new CommandError(`you have no agent ${wanted}`, 'farebox dashboard lists yours')
      }
      const shown: ShownAgent[] = []
      for (const agent of agents) shown.push(await readShown(account, agent, days))
      const listed = await unlessPlatformRefused(ask({ path: '/v1/me/secrets', schema: ownSecrets }))
      const secrets = listed?.secrets
      const limit = await unlessPlatformRefused(
        ask({ path: '/v1/me/settlement-limit', schema: settlementLimit }),
      )
      const address = await spellAddress(account.session.address)
      if (raw.json !== true) draw(world, { account, address, shown, secrets, limit, days })
      return documentOf(account, { address, shown, secrets, limit })
    },
    'nothing was changed',
  )
}

async function readShown({ ask }: OpenAccount, agent: OwnedAgent, days: number): Promise<ShownAgent> {
  const { agent_id: id } = agent
  // Data that a platform does not have or support is left out; a failed request is an error.
  const [dashboard, health, badge, webhook] = await Promise.all([
    ask({ path: `/v1/me/agents/${id}/dashboard?days=${days}`, schema: agentDashboard }),
    unlessPlatformRefused(ask({ path: `/v1/agents/${id}/health`, schema: agentHealth })),
    unlessPlatformRefused(ask({ path: `/v1/agents/${id}/badge`, schema: agentBadge })),
    unlessPlatformRefused(ask({ ...webhookOf(id), schema: ownWebhook })),
  ])
  return { agent, dashboard, health, badge, webhook }
}

interface Drawn {
  readonly account: OpenAccount
  readonly address: string
  readonly shown: readonly ShownAgent[]
  readonly secrets: readonly Secret[] | undefined
  readonly limit: SettlementLimit | undefined
  readonly days: number
}

function draw(world: World, { account, address, shown, secrets, limit, days }: Drawn): void {
  const { out } = world
  const paint = paintFor(out)
  const { platform, expiresAt } = account.session
  const until = untilTime(expiresAt, systemClock.nowMs() / 1_000)
  const lines = [`${paint.bold(address)}   ${platform}   ${paint.dim(`signed in until ${until}`)}`]
  if (shown.length === 0) {
    lines.push(
      '',
      '  no agents',
      `  ${paint.dim(`${asTyped(world, 'farebox register')} --endpoint <https_url> lists one`)}`,
    )
  }
  for (const one of shown) lines.push('', ...drawAgent(one, paint, days))
  if (secrets !== undefined) lines.push('', ...drawSecrets(world, secrets, paint))
  const settled = limit === undefined ? undefined : describeLimit(world, limit, paint)
  if (settled !== undefined) lines.push(settled)
  out.write(`${lines.join('\n')}\n`)
}

const LABEL_WIDTH = 14

function drawAgent(
  { agent, dashboard, health, badge, webhook }: ShownAgent,
  paint: ScreenPaint,
  days: number,
): string[] {
  const row = (name: string, text: string): string => `     ${paint.dim(name.padEnd(LABEL_WIDTH))}${text}`
  const lines = [
    `  ${String(agent.agent_id).padEnd(3)}${paint.bold(printable(agent.name))}   ${printable(agent.endpoint ?? 'no endpoint')}`,
    row('listing', describeListing(agent, paint)),
    row('availability', describeAvailability(health, paint)),
    row('badge', describeBadge(agent.badge, badge)),
    row(`jobs, ${days} d`, describeJobs(dashboard)),
    row('earned here', `${dashboard.earned} USDC (jobs of this platform)`),
  ]
  for (const one of dashboard.capabilities.length > 1 ? dashboard.capabilities : []) {
    lines.push(row(`  ${printable(one.capability)}`, `${describeJobs(one)}, ${one.earned} USDC`))
  }
  if (webhook !== undefined)
    lines.push(row('webhook', `${printable(webhook.url)}, ${describeNotice(webhook)}`))
  return lines
}

function describeListing(agent: OwnedAgent, { yellow }: ScreenPaint): string {
  const { standing, standing_reason: reason, wallet_proven: isProven } = agent
  const why = reason === null ? '' : `: ${printable(reason)}`
  if (standing === 'listed')
    return isProven ? 'listed' : `listed, ${yellow('not payable')}: its wallet is not proven${why}`
  return `${yellow(standing)}${why}`
}

function describeAvailability(health: AgentHealth | undefined, { green, yellow, red }: ScreenPaint): string {
  if (health === undefined) return 'not checked'
  const { availability, consecutive_failures: failures, last_failure: failure } = health
  const online = health.warned ? yellow : green
  const colour = { online, offline: red, waiting: (text: string) => text }[availability]
  const failed = failures === 0 ? [] : [`${failures} failed in a row (${failure ?? 'no reason given'})`]
  const uptime = [
    health.uptime_7d === null ? [] : [`7 d ${percent(health.uptime_7d)}`],
    health.uptime_30d === null ? [] : [`30 d ${percent(health.uptime_30d)}`],
    health.latency_p50_ms === null ? [] : [`answers in ${Math.round(health.latency_p50_ms)} ms`],
  ].flat()
  return [colour(availability), ...failed, ...uptime].join(', ')
}

function describeJobs({
  jobs,
  success,
  p50_ms: p50,
}: Pick<AgentDashboard, 'jobs' | 'success' | 'p50_ms'>): string {
  if (jobs.sent === 0) return 'none'
  const counts = [
    `${jobs.sent} sent`,
    `${jobs.completed} completed`,
    ...(jobs.failed === 0 ? [] : [`${jobs.failed} failed`]),
    ...(jobs.expired === 0 ? [] : [`${jobs.expired} expired`]),
    ...(jobs.open === 0 ? [] : [`${jobs.open} open`]),
    ...(success === null ? [] : [percent(success)]),
    ...(p50 === null ? [] : [`half within ${p50} ms`]),
  ]
  return counts.join(', ')
}

function drawSecrets(world: World, secrets: readonly Secret[], { dim }: ScreenPaint): string[] {
  const live = secrets.filter(one => one.revoked_at === null)
  if (live.length === 0)
    return [`  secrets   none; ${dim(`${asTyped(world, 'farebox secret create')} makes one`)}`]
  return live.map(
    ({ secret_id: id, wallets, created_at: at }, index) =>
      `  ${(index === 0 ? 'secrets' : '').padEnd(10)}${printable(id)}, made ${new Date(at * 1_000).toISOString().slice(0, 10)}, ` +
      `for ${many(wallets.length, 'wallet')}`,
  )
}

function describeLimit(
  world: World,
  limit: SettlementLimit,
  { dim, yellow }: ScreenPaint,
): string | undefined {
  const { used_today: used, daily_limit: most, next_step: next } = limit
  if (most === null) return undefined
  const figure = `${used} of ${most} settlements used today`
  const shown = used >= most * ANNOUNCED_SHARE ? yellow(figure) : figure
  return `  limit     ${shown}${next === null ? '' : `; ${dim(asTyped(world, printable(next)))}`}`
}

/** The share of a limit from which the facilitator also announces that the limit is near. */
const ANNOUNCED_SHARE = 0.8

function documentOf(
  { session }: OpenAccount,
  { address, shown, secrets, limit }: Pick<Drawn, 'address' | 'shown' | 'secrets' | 'limit'>,
): object {
  const agents = shown.map(({ agent, dashboard, health, badge, webhook }) => {
    const { health: _, agent_id: __, ...figures } = dashboard
    const { timeline: ___, ...availability } = health ?? { timeline: [] }
    return {
      ...agent,
      ...figures,
      health: health === undefined ? null : availability,
      badge_figures: badge ?? null,
      webhook: webhook ?? null,
    }
  })
  const { platform, expiresAt } = session
  return {
    ok: true,
    platform,
    address,
    expires_at: expiresAt,
    agents,
    secrets: secrets ?? null,
    settlement_limit: limit ?? null,
  }
}

const MAX_DAYS = 30
const DEFAULT_DAYS = 7

function readDays(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DAYS
  const days = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= MAX_DAYS) return days
  throw usageError(`--days: must be a whole number from 1 to ${MAX_DAYS}`, `like --days ${DEFAULT_DAYS}`)
}

function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10} %`
}
