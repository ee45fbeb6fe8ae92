import { setMaxListeners } from 'node:events'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Drain } from '@farebox/server/internal/drain'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './refusal.ts'

/**
 * How long requests in flight may take after closing begins. After that, a request that waits for a job is answered that
 * the job is still running.
 */
const CLOSE_GRACE_MS = 10_000

/**
 * Closes the application in order: new requests are refused, kept connections are closed after their answer, and after the
 * grace period running handlers are asked to end. Otherwise keep-alive clients would keep a closing process open and send
 * it requests.
 *
 * @returns a signal that aborts when handlers must end
 */
export function closeInOrder(
  app: FastifyInstance,
  { clock, drain }: { readonly clock: Clock; readonly drain?: Drain },
): AbortSignal {
  const [ending, closed] = [new AbortController(), new AbortController()]
  // Every pending request adds a listener.
  setMaxListeners(0, ending.signal)
  let closing = false
  app.addHook('preClose', done => {
    closing = true
    void sleep(clock, CLOSE_GRACE_MS, closed.signal).then(() =>
      ending.abort(new Error('the platform is closing')),
    )
    done()
  })
  app.addHook('onClose', async () => closed.abort())
  app.addHook('onRequest', async () => {
    if (closing) throw new Refusal('unavailable', 'the platform is restarting: ask again in a moment')
  })
  app.addHook('onSend', async (_, reply) => {
    if (closing || drain?.isOn() === true) reply.header('connection', 'close')
  })
  return ending.signal
}
