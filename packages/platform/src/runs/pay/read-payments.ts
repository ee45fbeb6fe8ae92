import { findJobStep } from '@farebox/flows/internal/document/find-job-step'
import type { Flow } from '@farebox/flows/document/flow'
import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import type { RunPayment } from '@farebox/platform-api/flows/runs'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import type { BroughtPayment } from '../../checking/run-messages.ts'
import { loopTurns } from '../../http/loop-turns.ts'
import { Refusal } from '../../http/refusal.ts'
import { readPayable, type PayableCapability } from '../../jobs/quote/payable-agent.ts'
import { agreeOnPayment, createProvePayment, type ProvePayment } from '../../jobs/quote/prove-payment.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { createWalletBalances, type WalletBalances } from '../../wallets/wallet-balances.ts'
import type { SealedRunPayment } from '../records/run-store.ts'

/** Checked payments for jobs of a run, all by one payer. */
export interface ReadPayments {
  /** Undefined when there are no payments. */
  readonly payer: string | undefined
  readonly brought: readonly BroughtPayment[]
  readonly sealed: readonly SealedRunPayment[]
}

/** The dependencies of reading payments besides the platform parts; created once in each process. */
export interface PaymentMeans {
  readonly provePayment: ProvePayment
  readonly balances: WalletBalances
  /**
   * Takes this many payments, or prices, from the allowance of an address. Throws a {@link Refusal} when fewer are
   * left.
   */
  readonly take: (from: string, count: number) => void
}

/** Limited because each may cause a price request to an agent and an order to be written. */
const PER_MINUTE = 6_000

/** Creates the dependencies once for all routes that accept payments or ask for prices. */
export function createPaymentMeans(parts: PlatformParts): PaymentMeans {
  const limit = createRateLimit(parts.clock)
  return {
    provePayment: createProvePayment(parts),
    balances: createWalletBalances(parts),
    take(from, count) {
      for (let index = 0; index < count; index += 1) {
        const seconds = limit(from, PER_MINUTE)
        if (seconds === undefined) continue
        throw new Refusal('rate_limited', 'payments: too many jobs of flows came from this address', {
          retryAfterSeconds: seconds,
        })
      }
    },
  }
}

/**
 * Reads payments for jobs of a run. Each must be signed by the same payer, for the price the agent currently asks for,
 * be valid long enough, and be bound by its nonce to its job (D13), so that no holder can use it for anything else.
 *
 * @throws {Refusal} `payment` or `validation`, naming the job
 */
export async function readRunPayments(
  parts: PlatformParts,
  means: PaymentMeans,
  flow: Flow,
  payments: readonly RunPayment[],
): Promise<ReadPayments> {
  const payables = new Map<string, Promise<PayableCapability>>()
  const payableOf = (agentId: number, name: string): Promise<PayableCapability> => {
    const id = `${agentId} ${name}`
    const known = payables.get(id) ?? readPayable(parts, agentId, name)
    payables.set(id, known)
    return known
  }
  let totalAtomic = 0n
  const read: {
    readonly payer: string
    readonly brought: BroughtPayment
    readonly sealed: SealedRunPayment
  }[] = []
  for (const { key, job_id, payment: header } of payments) {
    const step = findJobStep(flow, key)
    if (step === undefined) throw new Refusal('validation', `payments: ${key}: is no job of this flow`)
    const jobId = job_id.toLowerCase()
    const payable = await payableOf(step.agent_id, step.capability).catch(explainFor(key))
    const proven = await loopTurns.take(() => {
      try {
        const payment = means.provePayment(header)
        agreeOnPayment(parts, payment, payable, jobId)
        return payment
      } catch (error) {
        return explainFor(key)(error)
      }
    })
    const { authorization, payer } = proven
    if (!isBoundNonce(authorization.nonce))
      throw new Refusal('payment', `payments: ${key}: the nonce must be bound to the job`)
    totalAtomic += payable.priceAtomic
    const about = {
      job_id: jobId,
      amount: formatUsdc(payable.priceAtomic),
      pay_to: payable.wallet,
      valid_before: Number(authorization.validBefore),
    }
    const sealed = { jobId, key, sealed: parts.seal.seal(jobId, header) }
    read.push({ payer, brought: { key, payment: about }, sealed })
  }
  const [payer, other] = new Set(read.map(one => one.payer))
  if (other !== undefined) throw new Refusal('payment', 'payments: must all be signed by one payer')
  if (payer !== undefined) await refusePoorPayer(means.balances, payer, totalAtomic)
  return { payer, brought: read.map(one => one.brought), sealed: read.map(one => one.sealed) }
}

/**
 * Checks the maximum total of the payments of a run.
 *
 * @throws {Refusal} `validation` when it is not an amount
 */
export function refuseBadMaxTotal(decimal: string): void {
  const read = readUsdc(decimal)
  if (!read.ok) throw new Refusal('validation', `max_total: ${read.reason}`)
}

/**
 * Refuses payments that exceed the payer's current balance. The balance is not reserved, and is read again for each
 * order.
 */
async function refusePoorPayer(balances: WalletBalances, payer: string, totalAtomic: bigint): Promise<void> {
  const balance = await balances.read(payer)
  const usdc = readUsdc(balance.usdc)
  if (!usdc.ok || usdc.atomic >= totalAtomic) return
  const total = formatUsdc(totalAtomic)
  throw new Refusal('payment', `payments: ${payer} has ${balance.usdc} USDC, these come to ${total}`)
}

function explainFor(key: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof Refusal)) throw error
    const reason = error.message.replace(/^payment: /, '')
    throw new Refusal(error.type, `payments: ${key}: ${reason}`, { cause: error.cause })
  }
}
