import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { sleep } from '@farebox/protocol/time/clock'
import { carriedFields } from '../../ledger/payment-fields.ts'
import type {
  ClosedTransaction,
  Conclusion,
  OpenTransaction,
  SenderLease,
} from '../../ledger/settlement-ledger.ts'
import { describeError } from '@farebox/server/log'
import type { ChainReader } from '../../chain/chain-reader.ts'
import { verifyChainReceipt, type ReceiptParts } from './verify-receipt.ts'
import { raiseFees, type RaiseParts } from './raise-fees.ts'
import {
  beginAnew,
  beginSending,
  sendSettlement,
  type SendProgress,
  type SendParts,
} from './send-transaction.ts'
import { SINGLE_GAS } from '../account/relayer-account.ts'

/** The dependencies of driving a transaction. */
export interface DriveParts extends SendParts, RaiseParts, ReceiptParts {
  /** How long a transaction may wait for its block before it is sent again with higher fees. */
  readonly stuckAfterMs: number
  /** Called with payments that the chain proves to be paid, before the conclusions are recorded. */
  readonly onProven: (paid: readonly { readonly key: string; readonly transaction: string }[]) => void
  /** Records conclusions and notifies the waiting callers. */
  conclude(conclusions: readonly Conclusion[], closes?: ClosedTransaction): Promise<void>
  /** The smallest nonce among this account's open transactions. */
  lowestOpenNonce(): number
}

const FIRST_POLL_MS = 50
const SLOWEST_POLL_MS = 1_000
/** Requests for the receipt per block, where blocks are fast. */
const POLLS_PER_BLOCK = 4
/** The fees are not raised before this many blocks: a single block may be full, and slow blocks exceed the time limit. */
const STUCK_BLOCKS = 3
/**
 * A node may report the nonce before the receipt; after this many reports without a receipt, another transaction has used
 * the nonce.
 */
const NONCE_USED_LOOKS = 5

/**
 * Follows one saved transaction to its end: sends it, repeats it with higher fees when it is stuck, and records what its
 * receipt proves about each payment. A payment that it did not pay is captured again; the next plan decides whether it can
 * still be paid. No payment can be charged twice: the token accepts each authorization once, however many transactions carry
 * it.
 *
 * Resolves `mined` or `dropped` when the end is recorded, `left` when `signal` aborts; never rejects.
 */
export async function driveTransaction(
  parts: DriveParts,
  lease: SenderLease,
  transaction: OpenTransaction,
  signal: AbortSignal,
): Promise<'mined' | 'dropped' | 'left'> {
  const progress: Progress = {
    transaction,
    sending: beginSending(parts.clock.nowMs()),
    doubt: undefined,
    tooOldSinceMs: undefined,
  }
  let pollMs = FIRST_POLL_MS
  while (!signal.aborted) {
    try {
      const end = await takeStep(parts, lease, progress)
      if (end !== undefined) return end
    } catch (error) {
      parts.log.warn('cannot advance a transaction', {
        hash: progress.transaction.hash,
        ...carriedFields(transaction.payments),
        error: describeError(error),
      })
    }
    await sleep(parts.clock, pollMs, signal)
    pollMs = Math.min(
      SLOWEST_POLL_MS,
      pollMs * 1.5,
      Math.max(FIRST_POLL_MS, parts.blockMs() / POLLS_PER_BLOCK),
    )
  }
  return 'left'
}

/** The progress of a transaction. */
interface Progress {
  transaction: OpenTransaction
  readonly sending: SendProgress
  /** Why its receipt is not accepted yet; undefined without a receipt, and for an accepted one. */
  doubt: string | undefined
  /** Since when there has been a receipt in a block that is too early for it; undefined otherwise. */
  tooOldSinceMs: number | undefined
}

async function takeStep(
  parts: DriveParts,
  lease: SenderLease,
  progress: Progress,
): Promise<'mined' | 'dropped' | undefined> {
  const { clock } = parts
  const { sending } = progress
  const stuckAfterMs = Math.max(parts.stuckAfterMs, STUCK_BLOCKS * parts.blockMs())
  const stuck = clock.nowMs() - sending.waitsSinceMs >= stuckAfterMs
  if (!stuck && clock.nowMs() >= sending.atMs) {
    const receipt = await sendSettlement(parts, progress.transaction, sending)
    if (receipt !== undefined && (await close(parts, progress, receipt))) return 'mined'
  }
  const receipt = await findReceipt(parts.reader, progress.transaction)
  if (receipt !== undefined && (await close(parts, progress, receipt))) return 'mined'
  if (!stuck && sending.nonceUsed === 0) return undefined
  if (await isLost(parts, progress)) {
    // On another chain the account has other nonces.
    await parts.confirmChain()
    return await drop(parts, progress.transaction)
  }
  if (stuck) {
    await concludeForeign(parts, progress.transaction)
    progress.transaction = await raiseFees(parts, lease, progress.transaction)
    beginAnew(sending, clock.nowMs())
    const mined = await sendSettlement(parts, progress.transaction, sending)
    if (mined !== undefined && (await close(parts, progress, mined))) return 'mined'
  }
  return undefined
}

async function findReceipt(
  reader: ChainReader,
  transaction: OpenTransaction,
): Promise<ChainReceipt | undefined> {
  const receipts = await Promise.all(transaction.hashes.map(hash => reader.readReceipt(hash)))
  return receipts.find(receipt => receipt !== undefined)
}

/** Can no block ever contain it? Either another transaction used its nonce, or one before it is missing. */
async function isLost({ node, relayer, lowestOpenNonce }: DriveParts, progress: Progress): Promise<boolean> {
  const { sending } = progress
  const mined = await node.nonce(relayer.address)
  if (mined > progress.transaction.nonce) {
    sending.nonceUsed += 1
    return sending.nonceUsed > NONCE_USED_LOOKS
  }
  sending.nonceUsed = 0
  return mined < lowestOpenNonce()
}

/** Records what a receipt proves if it is accepted; false if it is not, or not yet. */
async function close(parts: DriveParts, progress: Progress, receipt: ChainReceipt): Promise<boolean> {
  const { metrics } = parts
  const { transaction } = progress
  const paid = await findPaid(parts, progress, receipt)
  if (paid === undefined) return false
  // The payments are reported before the conclusions are recorded: until then the ledger has the transaction, which proves
  // the same (decision 69).
  parts.onProven([...paid].map(key => ({ key, transaction: receipt.transactionHash })))
  const conclusions = transaction.payments.map(({ key }): Conclusion =>
    paid.has(key)
      ? {
          key,
          from: 'submitted',
          to: 'settled',
          transaction: receipt.transactionHash,
          blockNumber: receipt.blockNumber,
        }
      : unpaid(key, transaction, receipt),
  )
  await parts.conclude(conclusions, { transactionId: transaction.id, as: 'mined' })
  metrics.transactions.inc({ outcome: receipt.succeeded ? 'mined' : 'reverted' })
  metrics.gasUsed.inc(Number(receipt.gasUsed ?? 0n))
  metrics.gasPaidEther.inc(Number((receipt.gasUsed ?? 0n) * (receipt.gasPriceWei ?? 0n)) / 1e18)
  return true
}

/** The payments that the transaction paid; undefined when nothing may be concluded from the receipt now. */
async function findPaid(
  parts: DriveParts,
  progress: Progress,
  receipt: ChainReceipt,
): Promise<ReadonlySet<string> | undefined> {
  const { transaction } = progress
  const verdict = await verifyChainReceipt(parts, transaction, receipt)
  if (verdict.kind === 'believed') return verdict.paid
  if (verdict.kind === 'too-old') {
    // A reorganisation can move the transaction to such a block; then the receipt stays the same, and it is accepted after
    // the waiting time.
    const nowMs = parts.clock.nowMs()
    progress.tooOldSinceMs ??= nowMs
    if (nowMs - progress.tooOldSinceMs > parts.network.finalitySeconds * 1_000) return verdict.paid
  }
  const doubt =
    verdict.kind === 'too-old'
      ? 'its block is older than the one in which the payment was seen unpaid'
      : verdict.why
  if (progress.doubt !== doubt)
    parts.log.warn('a receipt is not confirmed yet', {
      hash: receipt.transactionHash,
      why: doubt,
      ...carriedFields(transaction.payments),
    })
  progress.doubt = doubt
  return undefined
}

/** When a batch fails as a whole, the payment that made it fail is unknown, so none is blamed. */
function unpaid(key: string, { payments }: OpenTransaction, receipt: ChainReceipt): Conclusion {
  const unpaid = { key, from: 'submitted', to: 'captured', observedBlock: receipt.blockNumber } as const
  if (receipt.succeeded) return { ...unpaid, isFault: true }
  if (payments.length > 1) return unpaid
  return { ...unpaid, isFault: true, revertedGas: receipt.gasUsed ?? SINGLE_GAS }
}

async function drop(parts: DriveParts, transaction: OpenTransaction): Promise<'dropped'> {
  const { hash, nonce, payments } = transaction
  parts.log.warn('transaction dropped; sending its payments again', {
    hash,
    nonce,
    ...carriedFields(payments),
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

/** While our transaction is stuck, another account's transaction may have settled one of its payments (PAY-16). */
async function concludeForeign(
  { reader, conclude, confirmChain }: DriveParts,
  transaction: OpenTransaction,
): Promise<void> {
  for (const payment of transaction.payments) {
    const verdict = await reader.findSettlement(payment)
    if (verdict.kind !== 'settled') continue
    await confirmChain()
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
