import { randomBytes } from 'node:crypto'
import { TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import type { FaultStage } from './fault-stage.ts'

/** So much a new payer has: a second payment would be possible, and is seen. */
export const PAYER_ATOMIC = 30_000n

/** A payer for a run, funded beforehand: faucets are one account. */
export interface FundedPayer {
  readonly key: string
  readonly address: string
}

/** Makes an account without money. */
export function newPayer({ stage }: FaultStage): FundedPayer {
  const key = `0x${randomBytes(32).toString('hex')}`
  return { key, address: privateKeySigner(stage.crypto, key).address }
}

/** The transactions that moved money out of an account. */
export async function transfersOf(rpc: JsonRpc, account: string): Promise<readonly string[]> {
  const topic = `0x${account.slice(2).padStart(64, '0')}`
  const logs = await rpc.call('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER_TOPIC, topic] },
  ])
  return (logs as readonly { transactionHash: string }[]).map(log => log.transactionHash.toLowerCase())
}
