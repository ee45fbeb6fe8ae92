import { receiptProvesPayment, type ChainReceipt } from '@farebox/payments/chain-proof'
import type { Network } from '@farebox/payments/networks'
import type { Clock } from '../clock.ts'
import type {
  ClosedTransaction,
  Conclusion,
  OpenTransaction,
  SenderLease,
  SettlementLedger,
} from '../ledger/settlement-ledger.ts'
import { describeError, type Log } from '../log.ts'
import type { ChainReader } from './chain-reader.ts'
import type { Fees, Relayer } from './relayer.ts'
import type { RelayerNode } from './relayer-node.ts'

/** What a transaction is followed with. */
export interface FollowParts {
  readonly network: Network
  readonly relayer: Relayer
  readonly node: RelayerNode
  readonly reader: ChainReader
  readonly settlements: SettlementLedger
  readonly clock: Clock
  readonly log: Log
  /** The most a unit of gas may cost, in wei. */
  readonly maxFeePerGas: bigint
  /** How long a transaction may wait for its block before it is sent again, and then with higher fees. */
  readonly stuckAfterMs: number
  /** Writes conclusions down and tells who waits for them. */
  conclude(conclusions: readonly Conclusion[], closes?: ClosedTransaction): Promise<void>
  /** The smallest nonce among this account's open transactions. */
  lowestOpenNonce(): number
}

const FIRST_POLL_MS = 50
const SLOWEST_POLL_MS = 1_000
/** A node may know the nonce before the receipt; seen so often without one, another transaction took it. */
const NONCE_USED_LOOKS = 5
/**
 * A replacement must offer a tenth more than what it replaces (geth, `txpool.pricebump`); a quarter is seen
 * by all.
 */
const BUMP_PERCENT = 125n

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
  const progress: Progress = { transaction, sentAtMs: undefined, nonceUsed: 0 }
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
  /** When it was last given to the node. */
  sentAtMs: number | undefined
  /** How often the chain's count was past its nonce, without a receipt. */
  nonceUsed: number
}

async function takeStep(
  parts: FollowParts,
  lease: SenderLease,
  progress: Progress,
): Promise<'mined' | 'dropped' | undefined> {
  const { clock, stuckAfterMs } = parts
  const first = progress.sentAtMs === undefined
  const stuck = progress.sentAtMs !== undefined && clock.nowMs() - progress.sentAtMs >= stuckAfterMs
  if (first) {
    const receipt = await send(parts, progress)
    if (receipt !== undefined) return await close(parts, progress.transaction, receipt)
  }
  const receipt = await findReceipt(parts.reader, progress.transaction)
  if (receipt !== undefined) return await close(parts, progress.transaction, receipt)
  if (!stuck && progress.nonceUsed === 0) return undefined
  if (await isLost(parts, progress)) return await drop(parts, progress.transaction)
  if (stuck) {
    await concludeForeign(parts, progress.transaction)
    await raiseFees(parts, lease, progress)
    const mined = await send(parts, progress)
    if (mined !== undefined) return await close(parts, progress.transaction, mined)
  }
  return undefined
}

async function send(parts: FollowParts, progress: Progress): Promise<ChainReceipt | undefined> {
  const { node, clock, log } = parts
  const { hash, nonce, raw } = progress.transaction
  progress.sentAtMs = clock.nowMs()
  const broadcast = await node.broadcast(raw)
  // It may have come back from waiting for the block: the time that counts is that of the answer.
  progress.sentAtMs = clock.nowMs()
  if (broadcast.kind === 'mined') return broadcast.receipt
  if (broadcast.kind === 'refused') {
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
  const { network } = parts
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

/** Signs it again with the same nonce and higher fees, as far as the cap allows; saved before it is sent. */
async function raiseFees(parts: FollowParts, lease: SenderLease, progress: Progress): Promise<void> {
  const { transaction } = progress
  const market = await parts.node.fees()
  const fees: Fees = {
    maxFeePerGas: larger(market.maxFeePerGas, bumped(transaction.maxFeePerGas)),
    maxPriorityFeePerGas: larger(market.maxPriorityFeePerGas, bumped(transaction.maxPriorityFeePerGas)),
  }
  if (fees.maxFeePerGas > parts.maxFeePerGas) return
  const signed = parts.relayer.sign(transaction.payments, transaction.nonce, fees)
  if (!(await parts.settlements.replace(lease, transaction.id, signed))) return
  parts.log.info('transaction fees raised', {
    hash: signed.hash,
    nonce: transaction.nonce,
    maxFeePerGas: fees.maxFeePerGas,
  })
  progress.transaction = { ...transaction, ...signed, hashes: [...transaction.hashes, signed.hash] }
}

function bumped(wei: bigint): bigint {
  return (wei * BUMP_PERCENT) / 100n + 1n
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
