import type {
  RegistrationCheck,
  RegistrationFailure,
} from '@farebox/platform-api/registration/registration-check'
import type { FoundAgent } from '@farebox/platform-api/registry'
import type { FieldShape } from '@farebox/platform-api/search'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap, Side } from '@farebox/protocol/fields/field'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { failedCheck, passedCheck } from './inspect/explain-check.ts'
import { explainEndpoint } from './inspect/explain-endpoint.ts'
import { probeInSteps } from './inspect/probe-agent.ts'
import { sentenceOf, type ProbeResult } from './inspect/probe-result.ts'
import { readRegistrationStatus } from './registration-status.ts'
import { tellChecks } from './tell-checks.ts'
import { readRegistrationOf, saveRegistration, type Registration } from './registrations.ts'
import { inspectRefusedSoon } from '../agents/inspect-soon.ts'
import { showFields } from '../listing/show-fields.ts'
import { isBlocked } from '../agents/taken-down-endpoints.ts'

/** The result of an inspection is reused for this time, so that two browser tabs cause one inspection. */
const FOUND_KEPT_MS = 60_000
const MAX_SHOWN_CAPABILITIES = 100

/** The endpoint to register. */
export interface AskedRegistration {
  /** In any spelling. */
  readonly endpoint: string
  /**
   * The signed-in address, lower-case; its private networks are open to the inspection (D54). A claimed address is not
   * enough: the inspection would reveal the hosts there to anyone.
   */
  readonly signedIn?: string | undefined
}

/**
 * Opens the registration of an endpoint: a new one, or the existing one (REG-06). The endpoint is inspected, unless
 * this was done within the last minute or an agent has already been staked for it. When the endpoint is good now,
 * agents that were refused at it are inspected again soon.
 *
 * Throws a {@link Refusal}: `validation` with the reason when the endpoint cannot be listed; `conflict` when an agent
 * that was not registered through this registration is listed with it, or when the operator took one down there. The
 * details of the error contain the checks made so far and the listed agent.
 */
export async function openRegistration(
  parts: PlatformParts,
  asked: AskedRegistration,
): Promise<Registration> {
  const checks: RegistrationCheck[] = []
  const steps = openInSteps(parts, asked)
  try {
    for (;;) {
      const step = await steps.next()
      if (step.done === true) return step.value
      checks.push(step.value)
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.type, error.message, {
      cause: error.cause,
      details: { ...error.details, checks },
    })
  }
}

/**
 * Like {@link openRegistration}, but yields each check as it ends. When the endpoint is not inspected again, it yields
 * the checks of the last inspection.
 */
export async function* openInSteps(
  parts: PlatformParts,
  { endpoint: given, signedIn }: AskedRegistration,
  signal?: AbortSignal,
): AsyncGenerator<RegistrationCheck, Registration> {
  const verdict = parts.outbound.judge(given, signedIn)
  if (!verdict.ok) {
    yield explainEndpoint(parts, given, verdict.reason)
    throw new Refusal('validation', `endpoint: ${verdict.reason}`)
  }
  const inspectedFor = verdict.isPrivate && signedIn
  const known = await readRegistrationOf(parts.database, verdict.url)
  const claim = await findClaim(parts.database, verdict.url, known)
  const nowMs = parts.clock.nowMs()
  // The result for one owner on a private network is not shown to others, whatever the outcome (decision 86).
  if (claim === undefined && known !== undefined && known.inspectedFor === inspectedFor) {
    const { status } = await readRegistrationStatus(parts, known)
    const isUnderWay = status.state !== 'waiting_for_stake' && status.state !== 'refused'
    const isReused = nowMs - known.examinedAtMs < FOUND_KEPT_MS
    if (isUnderWay || isReused) {
      yield* tellChecks(known.checks, status)
      return known
    }
  }
  const before = [
    passedCheck('endpoint', 'The URL is one that may be called'),
    passedCheck('unclaimed', 'No agent is listed with it'),
  ] as const
  yield before[0]
  // Checked before an owner stakes for an endpoint that would be refused.
  const blocked = (await isBlocked(parts.database.pool, verdict.url)) ? TAKEN_DOWN : undefined
  const refusal = claim === undefined ? blocked : `agent ${claim.agent_id} is listed with it already`
  if (refusal !== undefined) {
    yield failedCheck('unclaimed', { got: refusal, ms: null })
    throw new Refusal('conflict', `endpoint: ${refusal}`, { ...(claim && { details: { listed: claim } }) })
  }
  yield before[1]
  const { result, checks } = yield* collect(
    probeInSteps(parts, { endpoint: verdict.url, calledFor: signedIn }, signal),
  )
  const found = tellFound(result)
  const owner = found.phase === 'agent' ? found.wallet : undefined
  await inspectRefusedSoon(parts.database.pool, { endpoint: verdict.url, owner, nowMs: parts.clock.nowMs() })
  const inspected = { found, checks: [...before, ...checks], inspectedFor }
  return await saveRegistration(parts.database, verdict.url, inspected, parts.clock.nowMs())
}

const TAKEN_DOWN = 'an agent with it was taken down by the operator'

/** Yields the steps of another generator and collects them. */
async function* collect<T, R>(
  steps: AsyncGenerator<T, R>,
): AsyncGenerator<T, { readonly result: R; readonly checks: readonly T[] }> {
  const checks: T[] = []
  for (;;) {
    const step = await steps.next()
    if (step.done === true) return { result: step.value, checks }
    checks.push(step.value)
    yield step.value
  }
}

/**
 * Finds a listed agent with proof at the endpoint, which keeps it. An agent that was registered through this
 * registration is its result and is ignored.
 */
async function findClaim(
  database: Database,
  endpoint: string,
  known: Registration | undefined,
): Promise<RegistrationFailure['listed']> {
  const [listed] = await database.query<{ agent_id: string; owner: string; registered_at: Date }>(
    'read-listed-at',
    `select agent_id, owner, registered_at from agents
     where endpoint = $1 and standing = 'listed' and wallet = proven_wallet`,
    [endpoint],
  )
  if (listed === undefined) return undefined
  // The chain's time is in seconds, and its clock may differ from the platform's.
  const isResult = known !== undefined && listed.registered_at.getTime() >= known.createdAtMs - 60_000
  return isResult ? undefined : { agent_id: Number(listed.agent_id), owner: listed.owner }
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
    capabilities: capabilities.map(([name, { description, pricing, input_schema, output_schema }]) => {
      const price = readPrice(pricing.amount)
      if (!price.ok) throw new RangeError(`amount: ${price.reason}`)
      return {
        name,
        description,
        price: formatUsdc(price.atomic),
        price_atomic: price.atomic.toString(),
        takes: tellFields(input_schema, 'input'),
        gives: tellFields(output_schema, 'output'),
      }
    }),
  }
}

/** The fields in the form in which a list shows them. */
function tellFields(fields: FieldMap, side: Side): FieldShape[] {
  return showFields(fields, side).fields.map(([name, type, required]) => ({ name, type, required }))
}
