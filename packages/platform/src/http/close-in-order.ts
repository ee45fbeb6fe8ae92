import { setMaxListeners } from 'node:events'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './refusal.ts'

/** What is in flight when closing begins may take so long; who waits for a job then hears that it is under way. */
const CLOSE_GRACE_MS = 10_000

/**
 * From the moment the app closes: what comes is refused, kept connections are closed with their answers, and handlers
 * that still run after a while are asked to end. Keep-alive clients would hold a closing process open, and send it work.
 *
 * @returns aborts when handlers should end
 */
export function closeInOrder(app: FastifyInstance, clock: Clock): AbortSignal {
  const [ending, closed] = [new AbortController(), new AbortController()]
  // Every request under way listens to it.
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
    if (closing) reply.header('connection', 'close')
  })
  return ending.signal
}
