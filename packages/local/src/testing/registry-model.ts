import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import type { Address } from 'viem'

/** An action of an account against the registry. */
export type Attempt =
  | { readonly kind: 'register'; readonly endpoint: string; readonly valueWei: bigint }
  | { readonly kind: 'updateEndpoint'; readonly agentId: bigint; readonly endpoint: string }
  | { readonly kind: 'transferFrom'; readonly agentId: bigint; readonly from: Address; readonly to: Address }
  | { readonly kind: 'approve'; readonly agentId: bigint; readonly to: Address }
  | { readonly kind: 'deregister'; readonly agentId: bigint }
  | { readonly kind: 'plain ether' }

/** The expected state of the registry: a second, minimal implementation of the rules of D36. */
export interface RegistryModel {
  lastAgentId: bigint
  readonly agents: Map<bigint, { owner: Address; endpoint: string; approved: Address | undefined }>
  /** Each agent whose stake was paid out, in order. */
  readonly paidOut: bigint[]
}

export function emptyModel(): RegistryModel {
  return { lastAgentId: 0n, agents: new Map(), paidOut: [] }
}

/**
 * Applies an attempt to the model, as the registry would.
 *
 * @param takesEther - whether the sender accepts the returned stake
 * @returns whether the attempt succeeds; otherwise the model is unchanged
 */
export function applyAttempt(
  model: RegistryModel,
  sender: Address,
  attempt: Attempt,
  takesEther: boolean,
): boolean {
  if (attempt.kind === 'plain ether') return false
  if (attempt.kind === 'register') {
    if (attempt.valueWei !== STAKE_WEI || !isEndpoint(attempt.endpoint)) return false
    model.lastAgentId += 1n
    const { endpoint } = attempt
    model.agents.set(model.lastAgentId, { owner: sender, endpoint, approved: undefined })
    return true
  }
  const agent = model.agents.get(attempt.agentId)
  if (agent === undefined) return false
  const isOwner = agent.owner === sender
  if (attempt.kind === 'transferFrom') {
    if ((!isOwner && agent.approved !== sender) || attempt.from !== agent.owner) return false
    agent.owner = attempt.to
    agent.approved = undefined
    return true
  }
  if (!isOwner) return false
  if (attempt.kind === 'approve') agent.approved = attempt.to
  else if (attempt.kind === 'updateEndpoint') {
    if (!isEndpoint(attempt.endpoint)) return false
    agent.endpoint = attempt.endpoint
  } else {
    if (!takesEther) return false
    model.agents.delete(attempt.agentId)
    model.paidOut.push(attempt.agentId)
  }
  return true
}

function isEndpoint(text: string): boolean {
  const lengthBytes = Buffer.byteLength(text)
  return lengthBytes >= 1 && lengthBytes <= 2048
}
