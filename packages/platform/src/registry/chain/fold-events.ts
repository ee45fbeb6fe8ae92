import type { RegistryEvent } from './registry-contract.ts'

/** The state of an agent on the chain, as of the last block read. */
export interface ChainState {
  readonly isRegistered: boolean
  readonly owner: string
  readonly endpoint: string
  /** The owner who wrote the endpoint. */
  readonly endpointBy: string
  readonly stakeWei: bigint
  readonly registeredBlock: number
  readonly registeredTransaction: string
  readonly registeredAtMs: number
}

/** Folds the events of one agent, the oldest first. Undefined when the agent was never registered. */
export function foldEvents(events: readonly RegistryEvent[]): ChainState | undefined {
  let state: ChainState | undefined
  for (const event of events) state = next(state, event)
  return state
}

function next(state: ChainState | undefined, event: RegistryEvent): ChainState | undefined {
  const { owner, endpoint = '', stakeWei = 0n } = event
  if (event.kind === 'registered') {
    return {
      isRegistered: true,
      owner,
      endpoint,
      endpointBy: owner,
      stakeWei,
      registeredBlock: event.blockNumber,
      registeredTransaction: event.transaction,
      registeredAtMs: event.blockAtMs,
    }
  }
  if (state === undefined) return undefined
  switch (event.kind) {
    case 'endpoint-updated':
      return { ...state, owner, endpoint, endpointBy: owner }
    case 'transferred':
      return { ...state, owner }
    case 'deregistered':
      return { ...state, isRegistered: false }
  }
}
