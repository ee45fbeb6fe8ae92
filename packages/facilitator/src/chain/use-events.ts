import { AUTHORIZATION_USED_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { addressTopic, quantity } from '@farebox/payments/internal/chain/rpc-words'
import type { LedgerPayment } from '../ledger/payment-record.ts'

/** The keys of the authorizations that the token's events show as used, in the transaction and the block of a receipt. */
export async function readUseEvents(
  rpc: JsonRpc,
  asset: string,
  { transactionHash, blockHash, blockNumber }: ChainReceipt,
  payments: readonly LedgerPayment[],
): Promise<ReadonlySet<string>> {
  if (payments.length === 0) return new Set()
  const payers = new Set(payments.map(({ authorization: { from } }) => addressTopic(from)))
  const nonces = payments.map(({ authorization: { nonce } }) => nonce)
  const block = quantity(blockNumber)
  const topics = [AUTHORIZATION_USED_TOPIC, [...payers], nonces]
  const events = await rpc.call('eth_getLogs', [{ address: asset, fromBlock: block, toBlock: block, topics }])
  if (!Array.isArray(events)) return new Set()
  const uses = new Set(
    events.flatMap(event => (isIn(event, { transactionHash, blockHash }) ? [useOf(event)] : [])),
  )
  return new Set(
    payments.flatMap(({ key, authorization: { from, nonce } }) =>
      uses.has(`${addressTopic(from)} ${nonce}`) ? [key] : [],
    ),
  )
}

interface UseEvent {
  readonly topics: readonly unknown[]
}

function isIn(event: unknown, place: Pick<ChainReceipt, 'transactionHash' | 'blockHash'>): event is UseEvent {
  if (typeof event !== 'object' || event === null || !('topics' in event) || !Array.isArray(event.topics))
    return false
  const named = event as { readonly [key: string]: unknown }
  return (['transactionHash', 'blockHash'] as const).every(
    name => String(named[name]).toLowerCase() === place[name].toLowerCase(),
  )
}

function useOf({ topics: [, payer, nonce] }: UseEvent): string {
  return `${String(payer)} ${String(nonce)}`.toLowerCase()
}
