import type { Webhook } from '@farebox/platform-api/monitor'
import type { OwnedAgents } from '@farebox/platform-api/owners'
import { isSignedOut } from '../session/load-signed-in.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure, type Ask } from '../site/ask.ts'

/** The number of days that figures are of. */
export type Days = '7' | '14' | '30'

/** The days that the address asks for; 14 by default. */
export function readDaysShown(query: URLSearchParams): Days {
  const days = query.get('days')
  return days === '7' || days === '30' ? days : '14'
}

/** The webhook of an agent; null: it has none, or it could not be read. */
export async function askWebhook(ask: Ask, agentId: number): Promise<Webhook | null> {
  return await ask(`/v1/me/agents/${agentId}/webhook`, answers.webhook).catch(unlessSignedOut(null))
}

/** An agent as its owner's list has it. */
export type OwnAgent = OwnedAgents['agents'][number]

/** One agent of the signed-in owner; undefined: it is none of theirs. Rejects with an `ApiFailure`. */
export async function findOwnAgent(ask: Ask, agentId: number): Promise<OwnAgent | undefined> {
  // The list goes by their numbers: the first after the one before is this one.
  const cursor = agentId > 1 ? `?cursor=${agentId - 1}` : ''
  const { agents } = await ask(`/v1/me/agents${cursor}`, answers.ownedAgents)
  return agents.find(({ agent_id: id }) => id === agentId)
}

/** A part of the page that could not be read does not keep the rest from being shown. */
export function unlessSignedOut<Value>(otherwise: Value): (error: unknown) => Value {
  return error => {
    if (isSignedOut(error) || !(error instanceof ApiFailure)) throw error
    return otherwise
  }
}
