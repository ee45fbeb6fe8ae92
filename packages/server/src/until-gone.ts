import type { IncomingMessage, ServerResponse } from 'node:http'
import { whenOver } from '@farebox/protocol/internal/connection/when-over'

/** A signal that aborts when the caller disconnects before the answer was sent, or when `closing` aborts. */
export function untilGone(
  request: IncomingMessage,
  response: ServerResponse,
  closing?: AbortSignal,
): AbortSignal {
  const controller = new AbortController()
  const end = (): void => controller.abort(closing?.reason)
  if (closing?.aborted === true) end()
  closing?.addEventListener('abort', end)
  whenOver(request.socket, response, () => {
    closing?.removeEventListener('abort', end)
    if (!response.writableFinished) controller.abort(new Error('the caller has gone'))
  })
  return controller.signal
}
