import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import { quantity } from '@farebox/payments/src/chain/rpc-words'
import type { Block, MinedTransaction, VirtualChain } from './virtual-chain.ts'

// Blocks, receipts and events as a node answers them.

/** What `eth_getLogs` is asked with. */
export interface LogFilter {
  readonly fromBlock: string
  readonly toBlock: string
  /** For each place one or several, any of which will do. */
  readonly topics: readonly (string | readonly string[])[]
}

/** The events of the blocks that a filter names, up to the newest that the node has. */
export function findLogs(chain: VirtualChain, filter: LogFilter, newest: number): readonly object[] {
  const from = Number(filter.fromBlock)
  const to = filter.toBlock === 'latest' ? newest : Math.min(newest, Number(filter.toBlock))
  return chain
    .busyBlocks()
    .filter(block => block.number >= from && block.number <= to)
    .flatMap(block => block.mined.flatMap(mined => receiptOf(mined, block).logs))
    .filter(({ topics }) => filter.topics.every((wanted, at) => [wanted].flat().includes(topics[at] ?? '')))
}

export function receiptOf(
  { transaction, succeeded, logs }: MinedTransaction,
  block: Block,
): { readonly status: string; readonly logs: readonly ChainLog[] } {
  const place = {
    transactionHash: transaction.hash,
    blockNumber: quantity(BigInt(block.number)),
    blockHash: block.hash,
  }
  return {
    ...place,
    status: succeeded ? '0x1' : '0x0',
    logs: logs.map(log => ({ ...log, ...place })),
  }
}

/** A block, with the hashes of its transactions; its time is moved by so many seconds. */
export function blockHeader(
  { number, seconds, hash, mined }: Block,
  baseFee: bigint,
  aheadSeconds: number,
): object {
  return {
    number: quantity(BigInt(number)),
    timestamp: quantity(BigInt(seconds + aheadSeconds)),
    hash,
    baseFeePerGas: quantity(baseFee),
    transactions: mined.map(({ transaction }) => transaction.hash),
  }
}
