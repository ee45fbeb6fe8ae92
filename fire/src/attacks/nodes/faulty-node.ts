import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { addressTopic, quantity, word } from '@farebox/payments/src/chain/rpc-words'
import { keccak256 } from 'viem/utils'
import type { StagedPayment } from './staged-payment.ts'

/** One call of a node. */
export interface NodeCall {
  readonly method: string
  readonly parameters: readonly unknown[]
  /** Asks the honest node, this or something else. */
  readonly ask: (method: string, parameters: readonly unknown[]) => Promise<unknown>
}

/** What a node answers instead; undefined: the honest answer. */
export type NodeFault = (call: NodeCall) => Promise<unknown> | undefined

/** A node that answers honestly until it is made to do otherwise. */
export interface FaultyNode {
  readonly rpc: JsonRpc
  /** From now on. */
  fault: NodeFault | undefined
}

/** Puts faults between a facilitator and a node. */
export function createFaultyNode(honest: JsonRpc): FaultyNode {
  const ask: NodeCall['ask'] = (method, parameters) => honest.call(method, parameters)
  const node: FaultyNode = {
    fault: undefined,
    rpc: {
      call: async (method, parameters, options) =>
        await (node.fault?.({ method, parameters, ask }) ?? honest.call(method, parameters, options)),
      close: () => Promise.resolve(),
    },
  }
  return node
}

/** All answers come from another node. */
export function answeredBy(other: JsonRpc): NodeFault {
  return ({ method, parameters }) => other.call(method, parameters)
}

/** Heads have a time so many seconds ahead of the true one. */
export function datesHeads(aheadSeconds: number): NodeFault {
  return ({ method, parameters, ask }) => {
    if (method !== 'eth_getBlockByNumber' || parameters[0] !== 'latest') return undefined
    return ask(method, parameters).then(block => {
      const { timestamp } = block as { readonly timestamp: string }
      return { ...(block as object), timestamp: quantity(BigInt(timestamp) + BigInt(aheadSeconds)) }
    })
  }
}

/** What an invented receipt says. */
export interface Invention {
  /** Of the newest block the node has. */
  readonly blockNumber: (newest: bigint) => bigint
  /** Whether it has the events of the payments in the transaction; without them it says success and proves nothing. */
  readonly hasEvents: boolean
}

/** Takes transactions, tells nobody of them, and answers with receipts of its own making. */
export function inventReceipts(payments: readonly StagedPayment[], invention: Invention): NodeFault {
  const invented = new Map<string, object>()
  const invent = async ({ parameters, ask }: NodeCall): Promise<object> => {
    const raw = String(parameters[0])
    const hash = keccak256(`0x${raw.slice(2)}`)
    const newest = BigInt(String(await ask('eth_blockNumber', [])))
    const carried = payments.filter(({ authorization: { nonce } }) => raw.includes(nonce.slice(2)))
    const receipt = {
      transactionHash: hash,
      status: '0x1',
      blockNumber: quantity(invention.blockNumber(newest)),
      blockHash: `0x${'ab'.repeat(32)}`,
      gasUsed: '0x10000',
      effectiveGasPrice: '0x1',
      logs: invention.hasEvents ? carried.flatMap(eventsOf) : [],
    }
    invented.set(hash, receipt)
    return receipt
  }
  return call => {
    if (call.method === 'eth_sendRawTransactionSync') return invent(call)
    if (call.method === 'eth_sendRawTransaction')
      return invent(call).then(receipt => (receipt as { readonly transactionHash: string }).transactionHash)
    const known =
      call.method === 'eth_getTransactionReceipt' ? invented.get(String(call.parameters[0])) : undefined
    return known && Promise.resolve(known)
  }
}

/** The two events of a payment, as USDC emits them. */
function eventsOf({ network, authorization }: StagedPayment): readonly object[] {
  const { from, to, value, nonce } = authorization
  const { address } = network.asset
  const payer = addressTopic(from)
  return [
    { address, topics: [AUTHORIZATION_USED_TOPIC, payer, nonce], data: '0x' },
    {
      address,
      topics: [TRANSFER_TOPIC, payer, addressTopic(to)],
      data: `0x${word(quantity(BigInt(value)))}`,
    },
  ]
}
