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

/** Payments for jobs of a run that were read and found good, all by one payer. */
export interface ReadPayments {
  /** Undefined: there are none. */
  readonly payer: string | undefined
  readonly brought: readonly BroughtPayment[]
  readonly sealed: readonly SealedRunPayment[]
}

/** The dependencies of reading payments besides the parts; of one process. */
export interface PaymentMeans {
  readonly provePayment: ProvePayment
  readonly balances: WalletBalances
  /** Takes so many payments, or prices, from the allowance of an address. Throws a {@link Refusal} where it has fewer. */
  readonly take: (from: string, count: number) => void
}

/** Each may have an agent asked for its price, and an order be written. */
const PER_MINUTE = 6_000

/** Made once, for all routes that take payments or ask for prices. */
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
 * Reads payments for jobs of a run: each signed by the same payer, for what its agent asks now, in time, and bound by its
 * nonce to the very job (D13), so that it can pay for nothing else, in any hands.
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
 * Reads what the payments of a run may come to.
 *
 * @throws {Refusal} `validation` where it is no amount
 */
export function refuseBadMaxTotal(decimal: string): void {
  const read = readUsdc(decimal)
  if (!read.ok) throw new Refusal('validation', `max_total: ${read.reason}`)
}

/** A payer can sign for more money than they have; their balance is not held back, and is read again for each order. */
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
