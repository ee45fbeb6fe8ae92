import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import type { LocalChain } from '../chain/start-chain.ts'
import { createReferee } from './permission-referee.ts'
import { OWNER } from './permission-stage.ts'
import { reader } from './registry-calls.ts'
import { parseEventLogs } from 'viem'

/** A spend, as decoded from its event. */
export interface SpendOnChain {
  readonly transaction: string
  readonly block: bigint
  readonly amount: bigint
  readonly ref: bigint
}

/** A summary of the events of a storm. */
export interface StormOnChain {
  readonly spends: readonly SpendOnChain[]
  /** The total that left the owner's account by transactions to the contract, in atomic units. */
  readonly left: bigint
  /** The number of transactions to the contract that were reverted. */
  readonly reverted: number
}

/**
 * Reads all blocks in order. Throws at the first spend that was not permitted at its position in the chain: above the limit
 * or cap in force at that point, after a revocation or an expiry, with a used ref, or without a transfer.
 */
export async function readStorm(chain: LocalChain): Promise<StormOnChain> {
  const client = reader(chain)
  const referee = createReferee()
  const spends: SpendOnChain[] = []
  let left = 0n
  let reverted = 0
  const newest = await client.getBlockNumber()
  for (let number = 0n; number <= newest; number += 1n) {
    const block = await client.getBlock({ blockNumber: number })
    for (const hash of block.transactions) {
      const receipt = await client.getTransactionReceipt({ hash })
      if (receipt.to?.toLowerCase() !== SPEND_PERMISSIONS_ADDRESS.toLowerCase()) continue
      if (receipt.status === 'reverted') reverted += 1
      referee.judge(receipt, block.timestamp)
      for (const { args } of parseEventLogs({ abi: localUsdcAbi, logs: receipt.logs, eventName: 'Transfer' }))
        if (args.from === OWNER) left += args.value
      const events = parseEventLogs({
        abi: spendPermissionsAbi,
        logs: receipt.logs,
        eventName: 'PermissionSpent',
      })
      for (const { args } of events)
        spends.push({ transaction: hash, block: number, amount: args.amount, ref: args.ref })
    }
  }
  return { spends, left, reverted }
}
