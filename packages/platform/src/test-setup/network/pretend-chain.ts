import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem'

/** A simulated chain whose blocks contain the registry's logs. Unlike a real chain, it can be reorganized at will. */
export interface PretendChain {
  readonly rpc: JsonRpc
  /** Every call so far, for example `eth_getLogs 0x1 0x2`. */
  readonly calls: string[]
  /** Adds blocks, each with these events. */
  mine(...blocks: readonly (readonly PretendEvent[])[]): void
  /** Removes the newest blocks; blocks mined in their place have other hashes. */
  drop(count: number): void
  chainId: number
  /** May throw an error instead of a response. */
  fail: (method: string, parameters: readonly unknown[]) => void
  /** The maximum number of blocks in one request for logs; larger requests are refused, as by real nodes. */
  maxRange: number
  readonly head: number
}

/** An event of the contract, in short form. */
export type PretendEvent =
  | { readonly is: 'registered'; readonly agentId: number; readonly owner: Hex; readonly endpoint: string }
  | { readonly is: 'updated'; readonly agentId: number; readonly owner: Hex; readonly endpoint: string }
  | { readonly is: 'moved'; readonly agentId: number; readonly owner: Hex; readonly to: Hex }
  | { readonly is: 'deregistered'; readonly agentId: number; readonly owner: Hex }

interface Block {
  readonly hash: string
  readonly logs: readonly { readonly topics: readonly unknown[]; readonly data: Hex }[]
}

const STAKE = 10n ** 15n
const START_SECONDS = 1_790_000_000

/** Creates a chain with one block, for a registry at this address. */
export function createPretendChain(registryAddress: string, chainId = 84_532): PretendChain {
  const blocks: Block[] = [{ hash: hashOf(0, 0), logs: [] }]
  const calls: string[] = []
  let mined = 0

  const chain: PretendChain = {
    calls,
    chainId,
    fail: () => undefined,
    maxRange: Number.POSITIVE_INFINITY,
    get head() {
      return blocks.length - 1
    },
    mine(...added) {
      for (const events of added) {
        mined += 1
        blocks.push({ hash: hashOf(blocks.length, mined), logs: events.map(encodeEvent) })
      }
    },
    drop: count => void blocks.splice(-count, count),
    rpc: {
      async call(method, parameters) {
        calls.push([method, ...parameters.map(showParameter)].join(' '))
        chain.fail(method, parameters)
        return answer(method, parameters)
      },
      close: () => Promise.resolve(),
    },
  }

  function answer(method: string, [first]: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return quantity(chain.chainId)
      case 'eth_getCode':
        return first === registryAddress ? '0x60' : '0x'
      case 'eth_blockNumber':
        return quantity(chain.head)
      case 'eth_getBlockByNumber':
        return tellBlock(first === 'latest' ? chain.head : Number(first))
      case 'eth_getLogs':
        // The parameter is the follower's own filter.
        return tellLogs(first as { readonly fromBlock: string; readonly toBlock: string })
      default:
        throw new JsonRpcError(method, -32_601, 'no such method', undefined)
    }
  }

  function tellBlock(blockNumber: number): unknown {
    const block = blocks[blockNumber]
    return block === undefined
      ? null
      : { hash: block.hash, timestamp: quantity(START_SECONDS + 2 * blockNumber) }
  }

  function tellLogs({
    fromBlock,
    toBlock,
  }: {
    readonly fromBlock: string
    readonly toBlock: string
  }): unknown {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from + 1 > chain.maxRange) throw new JsonRpcError('eth_getLogs', -32_005, 'too many', undefined)
    return blocks.slice(from, to + 1).flatMap((block, index) =>
      block.logs.map((log, logIndex) => ({
        address: registryAddress,
        ...log,
        blockNumber: quantity(from + index),
        blockHash: block.hash,
        logIndex: quantity(logIndex),
        transactionHash: hashOf(from + index, logIndex),
        removed: false,
      })),
    )
  }

  return chain
}

function encodeEvent(event: PretendEvent): Block['logs'][number] {
  const abi = agentRegistryAbi
  const { agentId: id, owner } = event
  const args = { agentId: BigInt(id), owner }
  switch (event.is) {
    case 'registered': {
      const data = encodeAbiParameters([{ type: 'string' }, { type: 'uint256' }], [event.endpoint, STAKE])
      return { topics: encodeEventTopics({ abi, eventName: 'AgentRegistered', args }), data }
    }
    case 'updated': {
      const data = encodeAbiParameters([{ type: 'string' }], [event.endpoint])
      return { topics: encodeEventTopics({ abi, eventName: 'EndpointUpdated', args }), data }
    }
    case 'deregistered': {
      const data = encodeAbiParameters([{ type: 'uint256' }], [STAKE])
      return { topics: encodeEventTopics({ abi, eventName: 'AgentDeregistered', args }), data }
    }
    case 'moved': {
      const move = { from: owner, to: event.to, tokenId: BigInt(id) }
      return { topics: encodeEventTopics({ abi, eventName: 'Transfer', args: move }), data: '0x' }
    }
  }
}

function hashOf(blockNumber: number, salt: number): string {
  return `0x${blockNumber.toString(16).padStart(32, '0')}${salt.toString(16).padStart(32, '0')}`
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}

function showParameter(parameter: unknown): string {
  if (typeof parameter !== 'object' || parameter === null) return String(parameter)
  const { fromBlock, toBlock } = parameter as { readonly fromBlock?: string; readonly toBlock?: string }
  return `${fromBlock} ${toBlock}`
}
