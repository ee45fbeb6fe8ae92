import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import * as AbiEvent from 'ox/AbiEvent'
import type { ContractLog } from '../../contract-events/read-chain.ts'
import { textOf, textsAsBytes } from '../../contract-events/text-events.ts'

/** An event of the registry contract about one agent. */
export interface RegistryEvent {
  readonly blockNumber: number
  /** The index of the log in its block. */
  readonly logIndex: number
  readonly agentId: number
  readonly kind: 'registered' | 'endpoint-updated' | 'transferred' | 'deregistered'
  /** The owner after the event; lower case. */
  readonly owner: string
  /** Set for `registered` and `endpoint-updated`. It may be any text, because the owner who registers writes it. */
  readonly endpoint: string | undefined
  /** Set for `registered` and `deregistered`. */
  readonly stakeWei: bigint | undefined
  readonly transaction: string
  readonly blockAtMs: number
}

/** The contract accepts at most 2,048 bytes; another contract could emit more. */
const MAX_ENDPOINT_CHARACTERS = 2_048
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const REGISTERED = textsAsBytes(AbiEvent.fromAbi(agentRegistryAbi, 'AgentRegistered'))
const UPDATED = textsAsBytes(AbiEvent.fromAbi(agentRegistryAbi, 'EndpointUpdated'))
const DEREGISTERED = AbiEvent.fromAbi(agentRegistryAbi, 'AgentDeregistered')
const TRANSFER = AbiEvent.fromAbi(agentRegistryAbi, 'Transfer')

/** The first topics of the events that the platform follows, for a log filter. */
export const EVENT_TOPICS: readonly `0x${string}`[] = [REGISTERED, UPDATED, DEREGISTERED, TRANSFER].map(
  event => AbiEvent.getSelector(event),
)

/**
 * Decodes a log. Undefined for a log that is not followed: another event, a mint or a burn (these come with events of
 * their own), an id too large for this contract, or bytes that do not decode.
 */
export function readRegistryLog(log: ContractLog): RegistryEvent | undefined {
  const { blockNumber, logIndex, transaction, blockAtMs } = log
  const told = decode(log)
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

interface Told {
  readonly agentId: bigint
  readonly kind: RegistryEvent['kind']
  readonly owner: string
  readonly endpoint?: string
  readonly stakeWei?: bigint
}

function decode(log: ContractLog): Told | undefined {
  try {
    return readEvent(log)
  } catch {
    return undefined
  }
}

function readEvent({ topics, data }: ContractLog): Told | undefined {
  const log = { topics, data }
  switch (topics[0]) {
    case AbiEvent.getSelector(REGISTERED): {
      const { agentId, owner, endpoint, stake } = AbiEvent.decode(REGISTERED, log)
      return { agentId, kind: 'registered', owner, endpoint: textOf(endpoint), stakeWei: stake }
    }
    case AbiEvent.getSelector(UPDATED): {
      const { agentId, owner, endpoint } = AbiEvent.decode(UPDATED, log)
      return { agentId, kind: 'endpoint-updated', owner, endpoint: textOf(endpoint) }
    }
    case AbiEvent.getSelector(DEREGISTERED): {
      const { agentId, owner, stake } = AbiEvent.decode(DEREGISTERED, log)
      return { agentId, kind: 'deregistered', owner, stakeWei: stake }
    }
    case AbiEvent.getSelector(TRANSFER): {
      const { from, to, tokenId } = AbiEvent.decode(TRANSFER, log)
      const isMove = from !== ZERO_ADDRESS && to !== ZERO_ADDRESS
      return isMove ? { agentId: tokenId, kind: 'transferred', owner: to } : undefined
    }
    default:
      return undefined
  }
}

/**
 * Replaces characters that PostgreSQL does not store, such as NUL. No valid URL contains them, so the endpoint is
 * refused either way.
 */
function storableEndpoint(endpoint: string): string {
  return endpoint.slice(0, MAX_ENDPOINT_CHARACTERS).replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD')
}
