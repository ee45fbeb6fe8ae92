import { callAnvil } from './anvil-rpc.ts'

/** An account that anvil signs for, and what it is to send; quantities as 0x hex. */
export interface UnlockedTransaction {
  readonly from: string
  readonly to: string
  readonly data: string
  readonly value?: string
  /** Absent: what anvil estimates, which refuses what would revert, with the contract's reason. */
  readonly gas?: string
}

/** As many as may send from one account at the same moment, and more. */
const MOST_TRIES = 50

/** Anvil gives a transaction its nonce before it queues for a place: who comes second to it is refused. */
const LOST_THE_NONCE = /replacement transaction underpriced|nonce too low|already imported|already known/

/**
 * Sends a transaction from one of anvil's own accounts, and returns its receipt, unchecked, when a block holds it. Any
 * number of processes may do so with the same account at the same time.
 *
 * @throws Error with anvil's words when the transaction is refused
 */
export async function sendTransaction(rpcUrl: string, transaction: UnlockedTransaction): Promise<unknown> {
  const gas = transaction.gas ?? (await callAnvil(rpcUrl, 'eth_estimateGas', [transaction]))
  for (let tried = 1; ; tried += 1) {
    try {
      // Answers when a block holds the transaction (EIP-7966).
      return await callAnvil(rpcUrl, 'eth_sendTransactionSync', [{ ...transaction, gas }])
    } catch (error) {
      if (tried === MOST_TRIES || !LOST_THE_NONCE.test(String(error))) throw error
    }
  }
}
