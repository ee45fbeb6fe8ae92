import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { parseReceipt, type ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { ChainVerdict } from '@farebox/payments/chain/find-settlement'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { ChainReader } from './chain-reader.ts'

/** A node of another provider, asked before a settlement counts. Every method rejects when it gives no answer. */
export interface SecondNode {
  /** Does it have this receipt, in the same block, and does it prove the same payments? */
  hasReceipt(receipt: ChainReceipt, proven: readonly LedgerPayment[]): Promise<boolean>
  /** Does it say the same of how an authorization ended? */
  agrees(payment: LedgerPayment, verdict: ChainVerdict): Promise<boolean>
}

/** Makes it of a node and a reader of that node. */
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

/** A reader whose last word on an authorization is that of two nodes: where they differ, nothing is known. */
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
