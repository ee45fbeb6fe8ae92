import { setTimeout as delay } from 'node:timers/promises'
import { whyRefused, type WhyRefused } from '@farebox/payments/internal/transaction/broadcast'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'

/** An account that anvil signs for, and what it is to send; quantities as 0x hex. */
export interface UnlockedTransaction {
  readonly from: string
  /** Absent: a contract is created. */
  readonly to?: string
  readonly data: string
  readonly value?: string
  /** Absent: what anvil estimates, which refuses what would revert, with the contract's reason. */
  readonly gas?: string
}

/** As many as may send from one account at the same moment, and more. */
const MOST_TRIES = 50

/**
 * The same for every transaction: anvil's own wish changes with each block, and of two that were given the same nonce the
 * dearer one would replace the other, which nobody hears of.
 */
const FEES = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' }

/** Anvil gives a transaction its nonce before it queues for a place: who comes second to it is refused so. */
const LOST_THE_NONCE: readonly WhyRefused[] = ['known', 'nonce-used', 'underpriced']

/** A chain with a block time makes one at the latest within this. */
const WAIT_MS = 60_000
const FIRST_LOOK_MS = 1
const LONGEST_LOOK_MS = 50
/** A chain that makes a block for each transaction has made it long before. */
const LOST_MS = 1_000
/** A block that is being made is there after this. */
const BLOCK_MADE_MS = 200

/**
 * Sends a transaction from one of anvil's own accounts, and returns its receipt, unchecked, when a block holds it. Any
 * number of processes may do so with the same account at the same time.
 *
 * @throws Error with anvil's words when the transaction is refused, and when no block holds it within a minute
 */
export async function sendTestTransaction(
  rpcUrl: string,
  transaction: UnlockedTransaction,
): Promise<unknown> {
  const gas = transaction.gas ?? (await callAnvil(rpcUrl, 'eth_estimateGas', [transaction]))
  const sent = { ...FEES, ...transaction, gas }
  for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
    try {
      const hash = await callAnvilForText(rpcUrl, 'eth_sendTransaction', [sent])
      const receipt = await waitForReceipt(rpcUrl, hash)
      if (receipt !== undefined) return receipt
    } catch (error) {
      if (tried === MOST_TRIES || !LOST_THE_NONCE.includes(whyRefused(String(error)))) throw error
    }
  }
  throw new Error(`no block holds a transaction of ${transaction.from} that was sent ${MOST_TRIES} times`)
}

/** Undefined where no block holds it and none ever will. */
async function waitForReceipt(rpcUrl: string, hash: string): Promise<unknown> {
  const startedMs = performance.now()
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 1.5, LONGEST_LOOK_MS)) {
    const receipt = await readReceipt(rpcUrl, hash)
    if (receipt !== undefined) return receipt
    const waitedMs = performance.now() - startedMs
    if (waitedMs > WAIT_MS) throw new Error(`no block holds ${hash} after ${WAIT_MS / 1_000} s`)
    if (waitedMs > LOST_MS && (await isLost(rpcUrl, hash))) return await readReceipt(rpcUrl, hash)
    await delay(lookMs)
  }
}

async function readReceipt(rpcUrl: string, hash: string): Promise<unknown> {
  return (await callAnvil(rpcUrl, 'eth_getTransactionReceipt', [hash])) ?? undefined
}

/**
 * Of transactions that are sent at one moment anvil loses one now and then: one whose nonce another was given too is
 * dropped, and one that comes while the block before it is made waits for ever. The latter is taken out of the pool, so
 * that it cannot come to pass after all.
 */
async function isLost(rpcUrl: string, hash: string): Promise<boolean> {
  const makesBlocksAtOnce = (await callAnvil(rpcUrl, 'anvil_getAutomine', [])) === true
  if (makesBlocksAtOnce) await callAnvil(rpcUrl, 'anvil_dropTransaction', [hash])
  else if ((await callAnvil(rpcUrl, 'eth_getTransactionByHash', [hash])) !== null) return false
  await delay(BLOCK_MADE_MS)
  return true
}
