import { startSpan } from '@farebox/protocol/internal/trace/spans'
import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { signForJob } from '@farebox/client/internal/pay/sign-for-job'
import { randomUUID } from 'node:crypto'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { JobOrder } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { SampleResult } from '@farebox/protocol/samples/sample'
import { CheckFailed } from '../checking/checker.ts'
import { Refusal } from '../http/refusal.ts'
import type { JobRow } from '../jobs/records/job-row.ts'
import { readJob } from '../jobs/records/job-store.ts'
import { orderJob } from '../jobs/order/order-job.ts'
import { readPayable } from '../jobs/quote/payable-agent.ts'
import type { ProvePayment } from '../jobs/quote/prove-payment.ts'
import { askPrice } from '../jobs/quote/quote-job.ts'
import { readBalance } from '../jobs/quote/read-balance.ts'
import { waitForOutcome } from '../jobs/records/wait-for-outcome.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readAgent } from '../agents/read-agent.ts'
import { MAX_OWNER_ATOMIC, spentOnOwner, takeFromBudget } from './canary-budget.ts'
import { beginCanary, type CanaryOutcome, type DueCanary } from './canary-store.ts'
import { chooseCapability } from './choose-capability.ts'

/** The signer and the limits for canary jobs. */
export interface CanaryMeans {
  readonly signer: PaymentSigner
  readonly budgetAtomic: bigint
  readonly provePayment: ProvePayment
}

/** The result of a canary job; `running`: the outcome is not known yet. */
export interface CanaryEnd {
  readonly outcome: CanaryOutcome | 'running'
  readonly reason?: string
  /** The payment or the output failed independently of the network, so callers must not be sent to pay the agent. */
  readonly endsPayable?: true
  /** When the job expires, in Unix milliseconds; only for `running`. */
  readonly expiresAtMs?: number
}

/** Creates a signer from a private key; the key does not leave it. */
export function canarySigner({ crypto }: Pick<PlatformParts, 'crypto'>, key: string): PaymentSigner {
  return privateKeySigner(crypto, key)
}

/**
 * Tries an agent as a caller would: asks for the price, pays, and checks the result. The price is counted against the
 * budget before anything is signed, and the job is stored before it is sent, like every job.
 *
 * Failures of the agent are returned and not thrown; it throws when the database or the node does not answer.
 */
export async function runCanary(
  parts: PlatformParts,
  means: CanaryMeans,
  due: DueCanary,
  signal: AbortSignal,
): Promise<CanaryEnd> {
  const unfinished = due.unfinishedJobId && (await readJob(parts.database, due.unfinishedJobId))
  if (unfinished) return await seeOutcome(parts, unfinished, signal)
  const plan = await planCanary(parts, means, due.agentId)
  if ('outcome' in plan) return plan
  try {
    const paid = await payForJob(parts, means, plan, signal)
    return 'outcome' in paid ? paid : await seeOutcome(parts, paid, signal)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.type === 'agent' || error.type === 'conflict'
      ? failed(error.message)
      : skipped(error.message)
  }
}

interface CanaryPlan {
  readonly agentId: number
  readonly owner: string
  readonly capability: string
  readonly input: JsonObject
  readonly priceAtomic: bigint
}

/** Chooses the job to send, or returns why the agent is skipped. */
async function planCanary(
  { database, checker, clock, rpc, network }: PlatformParts,
  { signer }: CanaryMeans,
  agentId: number,
): Promise<CanaryPlan | CanaryEnd> {
  const agent = await readAgent(database, agentId)
  if (agent?.standing !== 'listed' || agent.declaration === undefined) return skipped('it is not listed')
  if (agent.isOffline) return skipped('it is offline')
  if (agent.wallet !== agent.provenWallet) return skipped('its wallet is not proven')
  const chosen = await chooseCapability(agent.declaration, fields =>
    checker.run('sample', fields, `agent ${agentId}`).catch(noSample),
  )
  if (!chosen.ok) return skipped(chosen.reason)
  const { capability, input, priceAtomic } = chosen
  if ((await spentOnOwner(database, agent.owner, clock.nowMs())) + priceAtomic > MAX_OWNER_ATOMIC)
    return skipped(OVER_BUDGET['owner-is-spent'])
  if ((await readBalance(rpc, network, signer.address)) < priceAtomic)
    return skipped('the wallet that pays for these jobs is empty')
  return { agentId, owner: agent.owner, capability, input, priceAtomic }
}

function noSample(error: unknown): SampleResult {
  if (!(error instanceof CheckFailed)) throw error
  return { ok: false, violation: { field: 'input', reason: error.message } }
}

const OVER_BUDGET = {
  'day-is-spent': "the day's budget is used up",
  'owner-is-spent': "its owner's share of the budget is used up",
} as const

/** Pays for the job and sends it. Returns `skipped`, with nothing signed, when the budget does not allow it. */
async function payForJob(
  parts: PlatformParts,
  { signer, budgetAtomic, provePayment }: CanaryMeans,
  { agentId, owner, capability, input, priceAtomic }: CanaryPlan,
  signal: AbortSignal,
): Promise<JobRow | CanaryEnd> {
  const payable = await readPayable(parts, agentId, capability, { isTrial: true })
  const { requirement, network } = await askPrice(parts, payable, signal)
  const nowMs = parts.clock.nowMs()
  // The declaration may have been refreshed since the plan was made.
  if (payable.priceAtomic !== priceAtomic) throw new Refusal('unavailable', 'its price has just changed')
  const taken = await takeFromBudget(parts.database, { owner, priceAtomic, budgetAtomic, nowMs })
  if (taken !== 'taken') return skipped(OVER_BUDGET[taken])
  const jobId = randomUUID()
  await beginCanary(parts.database, agentId, jobId, nowMs)
  const nowSeconds = nowMs / 1_000
  const payableJob = { network, requirement, endpoint: `${payable.endpoint}/execute`, capability, jobId }
  const validBefore = Math.floor(nowSeconds) + requirement.maxTimeoutSeconds
  const { header } = await signForJob(parts.crypto, signer, payableJob, { nowSeconds, validBefore })
  const order: JobOrder = {
    agent_id: agentId,
    capability,
    job_id: jobId,
    input,
    payment: header,
    deadline: nowSeconds + payable.declaration.max_deadline_seconds,
  }
  const { trace, end } = startSpan('internal', 'canary', readTraceparent(undefined))
  return (await orderJob(parts, { provePayment, kind: 'canary', trace }, order).finally(end)).job
}

async function seeOutcome(parts: PlatformParts, job: JobRow, signal: AbortSignal): Promise<CanaryEnd> {
  const known = await waitForOutcome(parts, job, signal)
  const { answer, payment, error, outputProblem, expiresAtMs } = known
  if (answer === 'failed') return failed(error ?? 'it refused the job')
  if (outputProblem !== undefined)
    return { ...failed(`its output breaks its own schema: ${outputProblem}`), endsPayable: true }
  if (answer === 'completed' && payment === 'paid') return { outcome: 'ok' }
  if (parts.clock.nowMs() < expiresAtMs) return { outcome: 'running', expiresAtMs }
  if (answer === 'completed') return failed('it delivered without charging')
  return payment === 'paid'
    ? { ...failed('it charged and delivered nothing'), endsPayable: true }
    : failed('it gave no answer in its own time')
}

function skipped(reason: string): CanaryEnd {
  return { outcome: 'skipped', reason }
}

function failed(reason: string): CanaryEnd {
  return { outcome: 'failed', reason }
}
