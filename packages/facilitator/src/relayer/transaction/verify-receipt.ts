import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { Network } from '@farebox/payments/networks'
import type { PaymentRecord } from '../../ledger/payment-record.ts'
import type { OpenTransaction } from '../../ledger/settlement-ledger.ts'
import type { ChainReader } from '../../chain/chain-reader.ts'
import type { Relayer } from '../account/relayer-account.ts'
import type { RelayerNode } from '../account/relayer-node.ts'
import type { SecondNode } from '../../chain/second-node.ts'

/** The dependencies of verifying a receipt. */
export interface ReceiptParts {
  readonly network: Network
  readonly reader: ChainReader
  readonly node: RelayerNode
  readonly relayer: Relayer
  /** Rejects where the node is not on the chain we know. */
  readonly confirmChain: () => Promise<void>
  /** Called with the block of each receipt that is believed. */
  readonly noteBlock: (block: { readonly number: bigint; readonly hash: string }) => void
  /** Another node that must say the same, where there is one. */
  readonly second: SecondNode | undefined
}

/** The verdict on the receipt of a transaction of ours. */
export type ChainReceiptVerdict =
  /** The transaction is mined. It paid these, by key, and the others it did not. */
  | { readonly kind: 'believed'; readonly paid: ReadonlySet<string> }
  /** The node's other answers do not say the same: nothing is known. */
  | { readonly kind: 'doubted'; readonly why: string }
  /** It proves payments in a block before the one in which they were seen unpaid: only a reorganisation does that. */
  | { readonly kind: 'too-old'; readonly paid: ReadonlySet<string> }

/**
 * A receipt is what a node says, and nodes are not trusted (D41a): it counts when the node's other answers say the same.
 * A transfer needs its authorization used, at the receipt's block or later, and the event of that use in the receipt's block;
 * a failure needs the transaction in the list of that block and the relayer's nonce used; and where there is a second node, it has the same receipt.
 *
 * Rejects when a node gives no answer.
 */
export async function verifyChainReceipt(
  parts: ReceiptParts,
  { nonce, payments }: OpenTransaction,
  receipt: ChainReceipt,
): Promise<ChainReceiptVerdict> {
  const { network, reader, node, relayer, confirmChain, second } = parts
  const proven = payments.filter(({ authorization }) => receiptProvesPayment(network, authorization, receipt))
  // One whose payments were all settled otherwise has nothing to prove.
  const isComplete = proven.length > 0 && proven.length === payments.length
  const [{ blockNumber, used }, shown, isInBlock] = await Promise.all([
    reader.readUses(payments),
    reader.readUseEvents(receipt, proven),
    // Events show it too, where there are any.
    isComplete ? true : reader.isInBlock(receipt),
    confirmChain(),
  ])
  if (blockNumber < receipt.blockNumber) return doubted('its block is beyond the head')
  if (!isInBlock) return doubted('its block does not list the transaction')
  if (proven.some(({ key }) => !used.has(key))) return doubted('it shows a transfer, the state does not')
  // That an authorization is used does not say by what: its payer may have cancelled it.
  if (proven.some(({ key }) => !shown.has(key)))
    return doubted('it shows a transfer, the events of its block do not')
  if (!isComplete && (await node.nonce(relayer.address)) <= nonce)
    return doubted('the account has not used its nonce')
  if (second !== undefined && !(await second.hasReceipt(receipt, proven)))
    return doubted('the second node does not have it')
  parts.noteBlock({ number: receipt.blockNumber, hash: receipt.blockHash })
  const paid = new Set(proven.map(({ key }) => key))
  return proven.some(payment => isBefore(receipt, payment))
    ? { kind: 'too-old', paid }
    : { kind: 'believed', paid }
}

function doubted(why: string): ChainReceiptVerdict {
  return { kind: 'doubted', why }
}

/** When its balance was looked at, the payment was unused: no earlier block can hold its transfer. */
function isBefore({ blockNumber }: ChainReceipt, { observedBlock }: PaymentRecord): boolean {
  return blockNumber < observedBlock
}
