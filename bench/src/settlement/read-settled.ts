import type { LocalChain } from '@farebox/local/chain/start-chain'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { parseReceipt } from '@farebox/payments/chain/chain-receipt'
import { NETWORK } from '../stage/sign-jobs.ts'
import type { SignedPayment } from './signed-payments.ts'

/** The contents of a range of blocks. */
export interface BlocksUsed {
  readonly gas: number
  readonly transactions: number
}

/**
 * Returns the block of each payment, by its index. Rejects unless the transaction that the answer named proves the payment:
 * the chain uses an authorization once.
 */
export async function readBlocksOf(
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  payments: readonly SignedPayment[],
  transactions: readonly string[],
): Promise<readonly number[]> {
  const receipts = new Map<string, ReturnType<typeof parseReceipt>>()
  for (const hash of new Set(transactions))
    receipts.set(hash, parseReceipt(await callAnvil(rpcUrl, 'eth_getTransactionReceipt', [hash])))
  return payments.map(({ authorization }, index) => {
    const named = transactions[index] ?? ''
    const receipt = receipts.get(named)
    if (receipt === undefined || !receiptProvesPayment(NETWORK, authorization, receipt))
      throw new Error(`${authorization.nonce} was answered with ${named}, which does not pay it`)
    return Number(receipt.blockNumber)
  })
}

/** Gas and transactions of these blocks, both ends included, including reverted transactions. */
export async function readBlocksUsed(
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  from: number,
  to: number,
): Promise<BlocksUsed> {
  let [gas, transactions] = [0, 0]
  for (let block = from; block <= to; block += 1) {
    const number = `0x${block.toString(16)}`
    const header = (await callAnvil(rpcUrl, 'eth_getBlockByNumber', [number, false])) as {
      readonly gasUsed: string
      readonly transactions: readonly string[]
    }
    gas += Number(header.gasUsed)
    transactions += header.transactions.length
  }
  return { gas, transactions }
}
