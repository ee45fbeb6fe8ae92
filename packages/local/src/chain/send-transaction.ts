import { setTimeout as delay } from 'node:timers/promises'
import { whyRefused, type WhyRefused } from '@farebox/payments/internal/transaction/broadcast'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'

/** A transaction from an account that anvil signs for; quantities as 0x hex. */
export interface UnlockedTransaction {
  readonly from: string
  /** Omitted to create a contract. */
  readonly to?: string
  readonly data: string
  readonly value?: string
  /** By default anvil's estimate; the estimate rejects a transaction that would revert, with the contract's reason. */
  readonly gas?: string
}

/** More than the number of processes that may send from one account at the same moment. */
const MOST_TRIES = 50

/**
 * The same fees for every transaction. Anvil's suggested fees change with each block, and when two transactions get the
 * same nonce, the one with the higher fee would replace the other without an error.
 */
const FEES = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' }

/**
 * Anvil assigns a nonce before it queues the transaction. The later of two transactions with the same nonce is refused with
 * one of these reasons.
 */
const LOST_THE_NONCE: readonly WhyRefused[] = ['known', 'nonce-used', 'underpriced']

/** A chain with a block time makes a block within this time at the latest. */
const WAIT_MS = 60_000
const FIRST_LOOK_MS = 1
const LONGEST_LOOK_MS = 50
/** A chain that makes a block for each transaction has made it well within this time. */
const LOST_MS = 1_000
/** A block that is in progress is complete after this time. */
const BLOCK_MADE_MS = 200

/**
 * Sends a transaction from one of anvil's own accounts, and returns its receipt, unchecked, when a block contains it. Any
 * number of processes may send from the same account at the same time.
 *
 * @throws Error with anvil's message when the transaction is refused, and when no block contains it within a minute
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

/** Returns `undefined` when no block contains the transaction and none ever will. */
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
 * Anvil occasionally loses one of several transactions that are sent at the same moment. A transaction whose nonce was also
 * assigned to another one is dropped, and a transaction that arrives while the previous block is being made waits forever.
 * The latter is removed from the pool, so that it cannot be executed later.
 */
async function isLost(rpcUrl: string, hash: string): Promise<boolean> {
  const makesBlocksAtOnce = (await callAnvil(rpcUrl, 'anvil_getAutomine', [])) === true
  if (makesBlocksAtOnce) await callAnvil(rpcUrl, 'anvil_dropTransaction', [hash])
  else if ((await callAnvil(rpcUrl, 'eth_getTransactionByHash', [hash])) !== null) return false
  await delay(BLOCK_MADE_MS)
  return true
}
