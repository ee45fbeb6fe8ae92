import { receiptProvesPayment } from '@farebox/payments/chain-proof'
import type { ChainReceipt } from '@farebox/payments/chain-receipt'
import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/server/clock'
import type {
  ClosedTransaction,
  Conclusion,
  OpenTransaction,
  SenderLease,
} from '../ledger/settlement-ledger.ts'
import { describeError } from '@farebox/server/log'
import type { ChainReader } from './chain-reader.ts'
import { raiseFees, type RaiseParts } from './raise-fees.ts'
import type { Broadcast } from './relayer-node.ts'

/** What a transaction is followed with. */
export interface FollowParts extends RaiseParts {
  readonly network: Network
  readonly reader: ChainReader
  readonly clock: Clock
  /** How long a transaction may wait for its block before it is sent again, and then with higher fees. */
  readonly stuckAfterMs: number
  /** Writes conclusions down and tells who waits for them. */
  conclude(conclusions: readonly Conclusion[], closes?: ClosedTransaction): Promise<void>
  /** The smallest nonce among this account's open transactions. */
  lowestOpenNonce(): number
}

const FIRST_POLL_MS = 50
const SLOWEST_POLL_MS = 1_000
/** What a node did not take is given to it again after this, and then ever later, until it counts as stuck. */
const FIRST_RESEND_MS = 250
/** A node may know the nonce before the receipt; seen so often without one, another transaction took it. */
const NONCE_USED_LOOKS = 5

/**
 * Sees one saved transaction to its end: sends it, again and with higher fees where it is stuck, and writes
 * down what its receipt proves of each payment. A payment that it did not pay is captured again; whether it
 * can still be paid is decided when it is planned the next time. Money-wise none of this can do harm: the
 * token takes each authorization once, however many transactions carry it.
 *
 * Resolves `mined` or `dropped` when the end is written down, `left` when `signal` aborts; never rejects.
 */
export async function followTransaction(
  parts: FollowParts,
  lease: SenderLease,
  transaction: OpenTransaction,
  signal: AbortSignal,
): Promise<'mined' | 'dropped' | 'left'> {
  const progress: Progress = {
    transaction,
    waitsSinceMs: parts.clock.nowMs(),
    sendAtMs: 0,
    resendMs: FIRST_RESEND_MS,
    nonceUsed: 0,
  }
  let pollMs = FIRST_POLL_MS
  while (!signal.aborted) {
    try {
      const end = await takeStep(parts, lease, progress)
      if (end !== undefined) return end
    } catch (error) {
      parts.log.warn('transaction not advanced', {
        hash: progress.transaction.hash,
        error: describeError(error),
      })
    }
    await parts.clock.sleep(pollMs, signal)
    pollMs = Math.min(SLOWEST_POLL_MS, pollMs * 1.5)
  }
  return 'left'
}

/** How far it has come. */
interface Progress {
  transaction: OpenTransaction
  /** When its wait for a block began, with the fees it has. */
  waitsSinceMs: number
  /** When to give it to the node, unless it is stuck first; infinite where the node has it, or a rival of it. */
  sendAtMs: number
  /** If the node does not take it then, it is given to it once more after so long. */
  resendMs: number
  /** How often the chain's count was past its nonce, without a receipt. */
  nonceUsed: number
}

async function takeStep(
  parts: FollowParts,
  lease: SenderLease,
  progress: Progress,
): Promise<'mined' | 'dropped' | undefined> {
  const { clock, stuckAfterMs } = parts
  const stuck = clock.nowMs() - progress.waitsSinceMs >= stuckAfterMs
  if (!stuck && clock.nowMs() >= progress.sendAtMs) {
    const receipt = await send(parts, progress)
    if (receipt !== undefined) return await close(parts, progress.transaction, receipt)
  }
  const receipt = await findReceipt(parts.reader, progress.transaction)
  if (receipt !== undefined) return await close(parts, progress.transaction, receipt)
  if (!stuck && progress.nonceUsed === 0) return undefined
  if (await isLost(parts, progress)) return await drop(parts, progress.transaction)
  if (stuck) {
    await concludeForeign(parts, progress.transaction)
    progress.transaction = await raiseFees(parts, lease, progress.transaction)
    progress.waitsSinceMs = clock.nowMs()
    progress.resendMs = FIRST_RESEND_MS
    const mined = await send(parts, progress)
    if (mined !== undefined) return await close(parts, progress.transaction, mined)
  }
  return undefined
}

async function send(parts: FollowParts, progress: Progress): Promise<ChainReceipt | undefined> {
  const { node, clock, log, metrics } = parts
  const { hash, nonce, raw } = progress.transaction
  progress.sendAtMs = clock.nowMs() + progress.resendMs
  progress.resendMs *= 2
  const broadcast = await node.broadcast(raw)
  if (broadcast.kind === 'mined') return broadcast.receipt
  // It may have come back from waiting for the block: the time that counts is that of the answer.
  if (broadcast.kind === 'sent') progress.waitsSinceMs = clock.nowMs()
  if (!isWorthRepeating(broadcast)) progress.sendAtMs = Number.POSITIVE_INFINITY
  if (broadcast.kind === 'refused') {
    metrics.transactions.inc({ outcome: 'refused' })
    if (broadcast.why === 'nonce-used') progress.nonceUsed += 1
    else
      log[broadcast.why === 'no-funds' ? 'error' : 'warn']('transaction refused by the node', {
        hash,
        nonce,
        message: broadcast.message,
      })
  }
  return undefined
}

/** Refused for what may be over in a moment: a full pool, too many requests, an empty purse that is filled. */
function isWorthRepeating(broadcast: Broadcast): boolean {
  return broadcast.kind === 'refused' && (broadcast.why === 'other' || broadcast.why === 'no-funds')
}

async function findReceipt(
  reader: ChainReader,
  transaction: OpenTransaction,
): Promise<ChainReceipt | undefined> {
  const receipts = await Promise.all(transaction.hashes.map(hash => reader.readReceipt(hash)))
  return receipts.find(receipt => receipt !== undefined)
}

/** Will no block ever hold it? Either another transaction took its nonce, or one before it is missing. */
async function isLost({ node, relayer, lowestOpenNonce }: FollowParts, progress: Progress): Promise<boolean> {
  const mined = await node.nonce(relayer.address)
  if (mined > progress.transaction.nonce) {
    progress.nonceUsed += 1
    return progress.nonceUsed > NONCE_USED_LOOKS
  }
  progress.nonceUsed = 0
  return mined < lowestOpenNonce()
}

async function close(
  parts: FollowParts,
  transaction: OpenTransaction,
  receipt: ChainReceipt,
): Promise<'mined'> {
  const { network, metrics } = parts
  const conclusions = transaction.payments.map(({ key, authorization }): Conclusion =>
    receiptProvesPayment(network, authorization, receipt)
      ? {
          key,
          from: 'submitted',
          to: 'settled',
          transaction: receipt.transactionHash,
          blockNumber: receipt.blockNumber,
        }
      : { key, from: 'submitted', to: 'captured', observedBlock: receipt.blockNumber },
  )
  await parts.conclude(conclusions, { transactionId: transaction.id, as: 'mined' })
  metrics.transactions.inc({ outcome: receipt.succeeded ? 'mined' : 'reverted' })
  metrics.gasUsed.inc(Number(receipt.gasUsed ?? 0n))
  metrics.gasPaidEther.inc(Number((receipt.gasUsed ?? 0n) * (receipt.gasPriceWei ?? 0n)) / 1e18)
  return 'mined'
}

async function drop(parts: FollowParts, transaction: OpenTransaction): Promise<'dropped'> {
  const { hash, nonce, payments } = transaction
  parts.log.warn('transaction dropped, its payments are sent again', {
    hash,
    nonce,
    payments: payments.length,
  })
  const conclusions = payments.map(({ key }): Conclusion => ({
    key,
    from: 'submitted',
    to: 'captured',
    observedBlock: 0n,
  }))
  await parts.conclude(conclusions, { transactionId: transaction.id, as: 'dropped' })
  parts.metrics.transactions.inc({ outcome: 'dropped' })
  return 'dropped'
}

/** While ours is stuck, somebody else's transaction may have settled a payment of it (PAY-16). */
async function concludeForeign(
  { reader, conclude }: FollowParts,
  transaction: OpenTransaction,
): Promise<void> {
  for (const payment of transaction.payments) {
    const verdict = await reader.findSettlement(payment)
    if (verdict.kind !== 'settled') continue
    await conclude([
      {
        key: payment.key,
        from: 'submitted',
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      },
    ])
  }
}
