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
  /** Rejects when the node is not on the known chain. */
  readonly confirmChain: () => Promise<void>
  /** Called with the block of each accepted receipt. */
  readonly noteBlock: (block: { readonly number: bigint; readonly hash: string }) => void
  /** A second node that must confirm the receipt, if there is one. */
  readonly second: SecondNode | undefined
}

/** The verdict on the receipt of one of our transactions. */
export type ChainReceiptVerdict =
  /** The transaction is mined. It paid the payments with these keys and no others. */
  | { readonly kind: 'believed'; readonly paid: ReadonlySet<string> }
  /** Other answers of the node contradict the receipt: nothing is known. */
  | { readonly kind: 'doubted'; readonly why: string }
  /** It proves payments in a block before the one in which they were seen unpaid: only a reorganisation can cause that. */
  | { readonly kind: 'too-old'; readonly paid: ReadonlySet<string> }

/**
 * A receipt is a claim of a node, and nodes are not trusted (D41a): it counts when the node's other answers confirm it. A
 * transfer needs its authorization used, at the receipt's block or later, and the event of that use in the receipt's block;
 * a failure needs the transaction in the list of that block and the relayer's nonce used; and if there is a second node, it
 * must have the same receipt.
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
  // If all its payments were settled by other transactions, there is nothing to prove.
  const isComplete = proven.length > 0 && proven.length === payments.length
  const [{ blockNumber, used }, shown, isInBlock] = await Promise.all([
    reader.readUses(payments),
    reader.readUseEvents(receipt, proven),
    // Events of all payments show that too, so the block list is not needed then.
    isComplete ? true : reader.isInBlock(receipt),
    confirmChain(),
  ])
  if (blockNumber < receipt.blockNumber) return doubted('its block is beyond the head')
  if (!isInBlock) return doubted('its block does not list the transaction')
  if (proven.some(({ key }) => !used.has(key))) return doubted('it shows a transfer, the state does not')
  // A used nonce does not prove a transfer: the payer may have cancelled the authorization.
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

/** The payment was unused when its balance was read: no earlier block can contain its transfer. */
function isBefore({ blockNumber }: ChainReceipt, { observedBlock }: PaymentRecord): boolean {
  return blockNumber < observedBlock
}
