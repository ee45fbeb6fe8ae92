import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import type { Network } from '@farebox/payments/networks'
import type { VirtualChain } from '../chain/virtual-chain.ts'

/** A transfer by an authorization, as the chain has it now. */
export interface PaymentOnChain {
  readonly key: string
  readonly payer: string
  readonly transaction: string
  /** The sender: one of our relayers, or another account. */
  readonly sender: string
  readonly minedMs: number
}

/** All payments that are in a block now, by key: read from the events, like any observer. */
export function readPaymentsOnChain(
  chain: VirtualChain,
  network: Network,
): ReadonlyMap<string, PaymentOnChain> {
  const payments = new Map<string, PaymentOnChain>()
  for (const block of chain.busyBlocks()) {
    for (const { transaction, logs } of block.mined) {
      for (const [index, { topics }] of logs.entries()) {
        const isMoved = logs[index + 1]?.topics[0] === TRANSFER_TOPIC
        if (topics[0] !== AUTHORIZATION_USED_TOPIC || !isMoved) continue
        const payer = `0x${(topics[1] ?? '').slice(26)}`
        const key = paymentKey(network, { from: payer, nonce: topics[2] ?? '' })
        payments.set(key, {
          key,
          payer,
          transaction: transaction.hash,
          sender: transaction.sender,
          minedMs: block.seconds * 1_000,
        })
      }
    }
  }
  return payments
}
