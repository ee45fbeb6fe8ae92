import type { Webhook } from '@farebox/platform-api/monitor'
import { isSignedOut } from '../session/load-signed-in.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure, type Ask } from '../site/ask.ts'

/** How far back the figures go. */
export type Days = '7' | '14' | '30'

/** What the address says of how far back to look; default 14 days. */
export function readDays(query: URLSearchParams): Days {
  const days = query.get('days')
  return days === '7' || days === '30' ? days : '14'
}

/** The webhook of an agent; null: it has none, or it could not be read. */
export async function readWebhook(ask: Ask, agentId: number): Promise<Webhook | null> {
  return await ask(`/v1/me/agents/${agentId}/webhook`, answers.webhook).catch(unlessSignedOut(null))
}

/** A part of the page that could not be read does not keep the rest from being shown. */
export function unlessSignedOut<Value>(otherwise: Value): (error: unknown) => Value {
  return error => {
    if (isSignedOut(error) || !(error instanceof ApiFailure)) throw error
    return otherwise
  }
}
