import { receiptProvesPayment, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { readHead } from '@farebox/payments/chain/find-settlement'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'

/** Reads the state of the chain, independently of the facilitator's responses. */
export interface Witness {
  /** Transfers out of an account, in any token, oldest first. */
  transfersFrom(account: string): Promise<readonly Moved[]>
  /** Returns whether the token reports the nonce as used (or cancelled). */
  nonceUsed(account: string, nonce: string): Promise<boolean>
  /** Returns whether receipt and events of this transaction prove this payment. */
  proves(transaction: string, authorization: Authorization): Promise<boolean>
  /** The number of transactions that the facilitator's accounts have sent. */
  transactionsSent(): Promise<number>
  /** Transactions of the facilitator's accounts since the witness was created. */
  sentTransactions(): Promise<readonly WitnessedTransaction[]>
  /** Unix seconds: the time of the latest block, or of our clock if that is later. */
  nowSeconds(): Promise<number>
}

/** One `Transfer` event. */
export interface Moved {
  readonly token: string
  readonly to: string
  readonly amountAtomic: bigint
  readonly transaction: string
}

/** A transaction in a block. */
export interface WitnessedTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly input: string
  readonly value: bigint
  readonly gas: bigint
}

const AUTHORIZATION_STATE = '0xe94a0102'

/** Creates a witness that reads the chain through our own node, from now on; `accounts` pay the facilitator's gas. */
export async function createWitness(
  rpc: JsonRpc,
  network: Network,
  accounts: readonly string[],
): Promise<Witness> {
  const { number: firstBlock } = await readHead(rpc)
  return {
    async transfersFrom(account) {
      const logs = (await rpc.call('eth_getLogs', [
        { fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER_TOPIC, `0x${word(account)}`] },
      ])) as readonly { address: string; topics: readonly string[]; data: string; transactionHash: string }[]
      return logs.map(log => ({
        token: log.address.toLowerCase(),
        to: `0x${(log.topics[2] ?? '').slice(-40)}`,
        amountAtomic: BigInt(log.data),
        transaction: log.transactionHash.toLowerCase(),
      }))
    },
    async nonceUsed(account, nonce) {
      const data = AUTHORIZATION_STATE + word(account) + word(nonce)
      return (
        BigInt(String(await rpc.call('eth_call', [{ to: network.asset.address, data }, 'latest']))) !== 0n
      )
    },
    async proves(transaction, authorization) {
      const receipt = await readReceipt(rpc, transaction)
      return receipt !== undefined && receiptProvesPayment(network, authorization, receipt)
    },
    async transactionsSent() {
      const counts = await Promise.all(
        accounts.map(account => rpc.call('eth_getTransactionCount', [account, 'pending'])),
      )
      return counts.reduce<number>((sum, count) => sum + Number(count), 0)
    },
    sentTransactions: () => sentTransactions(rpc, accounts, Number(firstBlock) + 1),
    async nowSeconds() {
      return Math.max((await readHead(rpc)).seconds, Math.floor(Date.now() / 1_000))
    },
  }
}

async function sentTransactions(
  rpc: JsonRpc,
  accounts: readonly string[],
  firstBlock: number,
): Promise<readonly WitnessedTransaction[]> {
  const senders = new Set(accounts.map(account => account.toLowerCase()))
  const head = Number((await readHead(rpc)).number)
  const sent: WitnessedTransaction[] = []
  for (let number = firstBlock; number <= head; number += 1) {
    const block = (await rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])) as {
      transactions: readonly {
        hash: string
        from: string
        to: string | null
        input: string
        value: string
        gas: string
      }[]
    }
    for (const { hash, from, to, input, value, gas } of block.transactions) {
      if (senders.has(from.toLowerCase()))
        sent.push({ hash, from, to, input, value: BigInt(value), gas: BigInt(gas) })
    }
  }
  return sent
}

function word(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(64, '0')
}
