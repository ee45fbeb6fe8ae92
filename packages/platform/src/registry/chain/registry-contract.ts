import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { decodeEventLog, encodeEventTopics, encodeFunctionData } from 'viem'
import type { ContractLog } from '../../contract-events/read-chain.ts'

/** D36: what a registration stakes, exactly: 0.001 ETH. */
export const STAKE_WEI = 10n ** 15n

/** Something the registry contract said of one agent. */
export interface RegistryEvent {
  readonly blockNumber: number
  /** Its place in the block. */
  readonly logIndex: number
  readonly agentId: number
  readonly kind: 'registered' | 'endpoint-updated' | 'transferred' | 'deregistered'
  /** After the event; lower-case. */
  readonly owner: string
  /** With `registered` and `endpoint-updated`. Any text: whoever registers writes it. */
  readonly endpoint: string | undefined
  /** With `registered` and `deregistered`. */
  readonly stakeWei: bigint | undefined
  readonly transaction: string
  readonly blockAtMs: number
}

/** The contract takes 2,048 bytes; another contract may say more. */
const MAX_ENDPOINT_CHARACTERS = 2_048
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** The first topics of the events we follow, for a filter. */
export const EVENT_TOPICS: readonly `0x${string}`[] = (
  ['AgentRegistered', 'EndpointUpdated', 'AgentDeregistered', 'Transfer'] as const
).map(eventName => {
  const [topic] = encodeEventTopics({ abi: agentRegistryAbi, eventName })
  if (topic === undefined) throw new Error(`${eventName} has no topic`)
  return topic
})

/** The data of the transaction that registers an endpoint. Needs no node. */
export function encodeRegister(endpoint: string): `0x${string}` {
  return encodeFunctionData({ abi: agentRegistryAbi, functionName: 'register', args: [endpoint] })
}

/**
 * What a log says; undefined where it is none of ours to follow: another event, a mint or burn (which come with events
 * of their own), an id too large to be one of this contract's, bytes that do not decode.
 */
export function readRegistryLog(log: ContractLog): RegistryEvent | undefined {
  const decoded = decode(log)
  if (decoded === undefined) return undefined
  const { blockNumber, logIndex, transaction, blockAtMs } = log
  const told = tell(decoded)
  if (told === undefined || told.agentId < 1n || told.agentId > BigInt(Number.MAX_SAFE_INTEGER))
    return undefined
  return {
    blockNumber,
    logIndex,
    agentId: Number(told.agentId),
    kind: told.kind,
    owner: told.owner.toLowerCase(),
    endpoint: told.endpoint === undefined ? undefined : storableEndpoint(told.endpoint),
    stakeWei: told.stakeWei,
    transaction,
    blockAtMs,
  }
}

function decode({ topics, data }: ContractLog) {
  const [first, ...rest] = topics
  if (first === undefined) return undefined
  try {
    return decodeEventLog({ abi: agentRegistryAbi, topics: [first, ...rest], data })
  } catch {
    return undefined
  }
}

interface Told {
  readonly agentId: bigint
  readonly kind: RegistryEvent['kind']
  readonly owner: string
  readonly endpoint?: string
  readonly stakeWei?: bigint
}

function tell(decoded: NonNullable<ReturnType<typeof decode>>): Told | undefined {
  switch (decoded.eventName) {
    case 'AgentRegistered': {
      const { agentId, owner, endpoint, stake } = decoded.args
      return { agentId, kind: 'registered', owner, endpoint, stakeWei: stake }
    }
    case 'EndpointUpdated': {
      const { agentId, owner, endpoint } = decoded.args
      return { agentId, kind: 'endpoint-updated', owner, endpoint }
    }
    case 'AgentDeregistered': {
      const { agentId, owner, stake } = decoded.args
      return { agentId, kind: 'deregistered', owner, stakeWei: stake }
    }
    case 'Transfer': {
      const { from, to, tokenId } = decoded.args
      const isMove = from !== ZERO_ADDRESS && to !== ZERO_ADDRESS
      return isMove ? { agentId: tokenId, kind: 'transferred', owner: to } : undefined
    }
    case 'Approval':
    case 'ApprovalForAll':
      return undefined
  }
}

/** PostgreSQL keeps no NUL; no URL has one, so such an endpoint is refused as it would have been. */
function storableEndpoint(endpoint: string): string {
  return endpoint.slice(0, MAX_ENDPOINT_CHARACTERS).replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD')
}
