import type { FoundAgent } from '@farebox/platform-api/registry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { probeAgent } from './inspect/probe-agent.ts'
import { sentenceOf, type ProbeResult } from './inspect/probe-result.ts'
import { readRegistrationStatus } from './registration-status.ts'
import { readRegistrationOf, saveRegistration, type Registration } from './registrations.ts'
import { inspectRefusedSoon } from '../agents/inspect-soon.ts'
import { isBlocked } from '../agents/taken-down-endpoints.ts'

/** What was found a moment ago is not asked for again: two tabs are one inspection. */
const FOUND_KEPT_MS = 60_000
const MAX_SHOWN_CAPABILITIES = 100

/**
 * The registration of an endpoint: a new one, or the one that was opened before (REG-06). The endpoint is inspected,
 * unless that was done within a minute or somebody has staked already. Whoever staked for it and was refused is inspected
 * again soon where it is good now.
 *
 * Throws a {@link Refusal}: `validation` where the endpoint is none that can be listed, with the reason; `conflict`
 * where an agent is listed with it that was not registered by way of here, or the operator took one down there.
 */
export async function openRegistration(parts: PlatformParts, given: string): Promise<Registration> {
  const verdict = parts.outbound.judge(given)
  if (!verdict.ok) throw new Refusal('validation', `endpoint: ${verdict.reason}`)
  const known = await readRegistrationOf(parts.database, verdict.url)
  await refuseListed(parts.database, verdict.url, known)
  const nowMs = parts.clock.nowMs()
  if (known !== undefined) {
    const { status } = await readRegistrationStatus(parts, known)
    const isUnderWay = status.state !== 'waiting_for_stake' && status.state !== 'refused'
    if (isUnderWay || nowMs - known.examinedAtMs < FOUND_KEPT_MS) return known
  }
  // Before anybody stakes for what would be refused.
  if (await isBlocked(parts.database.pool, verdict.url)) {
    throw new Refusal('conflict', 'endpoint: an agent with it was taken down by the operator')
  }
  const found = tellFound(await probeAgent(parts, verdict.url))
  const owner = found.phase === 'agent' ? found.wallet : undefined
  await inspectRefusedSoon(parts.database.pool, { endpoint: verdict.url, owner, nowMs: parts.clock.nowMs() })
  return await saveRegistration(parts.database, verdict.url, found, parts.clock.nowMs())
}

/** Whoever is listed with proof keeps the endpoint; whoever came by way of this registration is its result. */
async function refuseListed(
  database: Database,
  endpoint: string,
  known: Registration | undefined,
): Promise<void> {
  const [listed] = await database.query<{ agent_id: string; registered_at: Date }>(
    'read-listed-at',
    `select agent_id, registered_at from agents
     where endpoint = $1 and standing = 'listed' and wallet = proven_wallet`,
    [endpoint],
  )
  if (listed === undefined) return
  // The chain counts in seconds, and its clock is not ours.
  const isResult = known !== undefined && listed.registered_at.getTime() >= known.createdAtMs - 60_000
  if (isResult) return
  throw new Refusal('conflict', `endpoint: agent ${listed.agent_id} is listed with it already`)
}

function tellFound(examination: ProbeResult): FoundAgent {
  switch (examination.kind) {
    case 'refused':
      throw new Refusal('validation', sentenceOf(examination))
    case 'phase-1':
      return { phase: 'phase-1', name: examination.name }
    case 'agent':
      return tellDeclared(examination.declaration, examination.wallet)
  }
}

function tellDeclared(declaration: Declaration, wallet: string): FoundAgent {
  const capabilities = Object.entries(declaration.capabilities).slice(0, MAX_SHOWN_CAPABILITIES)
  return {
    phase: 'agent',
    name: declaration.name,
    description: declaration.description,
    wallet,
    max_deadline_seconds: declaration.max_deadline_seconds,
    capabilities: capabilities.map(([name, { description, pricing }]) => {
      const price = readPrice(pricing.amount)
      if (!price.ok) throw new RangeError(`amount: ${price.reason}`)
      return { name, description, price: formatUsdc(price.atomic), price_atomic: price.atomic.toString() }
    }),
  }
}
