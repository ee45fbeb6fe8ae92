import type { Webhook } from '@farebox/platform-api/monitor'
import type { OwnedAgents } from '@farebox/platform-api/owners'
import { isSignedOut } from '../session/load-signed-in.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure, type Ask } from '../site/ask.ts'

/** The number of days that figures cover. */
export type Days = '7' | '14' | '30'

/** The number of days requested in the address; 14 by default. */
export function readDaysShown(query: URLSearchParams): Days {
  const days = query.get('days')
  return days === '7' || days === '30' ? days : '14'
}

/** The webhook of an agent; null when it has none, or when it could not be read. */
export async function askWebhook(ask: Ask, agentId: number): Promise<Webhook | null> {
  return await ask(`/v1/me/agents/${agentId}/webhook`, answers.webhook).catch(unlessSignedOut(null))
}

/** An agent in its owner's list. */
export type OwnAgent = OwnedAgents['agents'][number]

/** One agent of the signed-in owner; undefined when the owner has no such agent. Rejects with an `ApiFailure`. */
export async function findOwnAgent(ask: Ask, agentId: number): Promise<OwnAgent | undefined> {
  // The list is sorted by number, so the first agent after the previous number is this one.
  const cursor = agentId > 1 ? `?cursor=${agentId - 1}` : ''
  const { agents } = await ask(`/v1/me/agents${cursor}`, answers.ownedAgents)
  return agents.find(({ agent_id: id }) => id === agentId)
}

/**
 * A rejection handler that substitutes a value, so that the rest of the page is shown. Rethrows if the reader is signed out.
 */
export function unlessSignedOut<Value>(otherwise: Value): (error: unknown) => Value {
  return error => {
    if (isSignedOut(error) || !(error instanceof ApiFailure)) throw error
    return otherwise
  }
}
