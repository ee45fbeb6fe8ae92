import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { parseReceipt, type ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { ChainVerdict } from '@farebox/payments/chain/find-settlement'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { ChainReader } from './chain-reader.ts'

/** A node of another provider that must confirm a settlement. Every method rejects when it gives no answer. */
export interface SecondNode {
  /** Does the node have this receipt, in the same block, and does it prove the same payments? */
  hasReceipt(receipt: ChainReceipt, proven: readonly LedgerPayment[]): Promise<boolean>
  /** Does the node report the same outcome of the authorization? */
  agrees(payment: LedgerPayment, verdict: ChainVerdict): Promise<boolean>
}

/** Creates the second node from its RPC connection and its reader. */
export function createSecondNode(rpc: JsonRpc, reader: ChainReader, network: Network): SecondNode {
  return {
    async hasReceipt({ transactionHash, blockHash, succeeded }, proven) {
      const theirs = parseReceipt(await rpc.call('eth_getTransactionReceipt', [transactionHash]))
      return (
        theirs?.transactionHash === transactionHash &&
        theirs.blockHash.toLowerCase() === blockHash.toLowerCase() &&
        theirs.succeeded === succeeded &&
        proven.every(({ authorization }) => receiptProvesPayment(network, authorization, theirs))
      )
    },
    async agrees(payment, verdict) {
      const theirs = await reader.findSettlement(payment)
      if (theirs.kind !== verdict.kind) return false
      return (
        !('transaction' in theirs && 'transaction' in verdict) || theirs.transaction === verdict.transaction
      )
    },
  }
}

/** A reader whose outcome of an authorization needs both nodes: if they differ, the outcome is unknown. */
export function agreeWithSecond(reader: ChainReader, second: SecondNode | undefined): ChainReader {
  if (second === undefined) return reader
  return {
    ...reader,
    async findSettlement(payment) {
      const verdict = await reader.findSettlement(payment)
      const isUse = verdict.kind === 'settled' || verdict.kind === 'spent-otherwise'
      return isUse && !(await second.agrees(payment, verdict)) ? { kind: 'unclear' } : verdict
    },
  }
}
