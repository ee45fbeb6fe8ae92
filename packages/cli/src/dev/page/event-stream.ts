import type { ServerResponse } from 'node:http'
import { whenOver } from '@farebox/protocol/internal/connection/when-over'
import type { Clock } from 'farebox'
import type { DevEvents } from '@farebox/web/internal/dev-page/wire'

export type SendEvent = <Name extends keyof DevEvents>(name: Name, value: DevEvents[Name]) => void

const HEARTBEAT_MS = 15_000
const RETRY_MS = 500
/** A page with more unread bytes than this is disconnected, and reconnects. */
const MAX_WAITING_BYTES = 4 * 1_048_576

/**
 * Turns a response into a stream of events (server-sent events, HTML standard 9.2) until either side ends it.
 *
 * @param ended called once, when the stream has ended
 */
export function openEventStream(response: ServerResponse, clock: Clock, ended: () => void): SendEvent {
  const write = (text: string): void => {
    if (response.destroyed) return
    response.write(text)
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy()
  }
  let cancel = (): void => undefined
  const beat = (): void => {
    write(': still here\n\n')
    cancel = clock.after(HEARTBEAT_MS, beat)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
  write(`retry: ${RETRY_MS}\n\n`)
  cancel = clock.after(HEARTBEAT_MS, beat)
  whenOver(response.req.socket, response, () => {
    cancel()
    ended()
  })
  // JSON on one line contains no unescaped line break.
  return (name, value) => write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`)
}
