import type { ReleaseResponse } from '@farebox/payments/facilitator-api'
import type { FastifyInstance } from 'fastify'
import type { PaymentLedger } from '../ledger/payment-ledger.ts'
import { answerError, asObject, parseBody } from './answer.ts'
import { admitCaller, type Door } from './caller.ts'
import type { Metrics } from '../metrics.ts'

/**
 * `POST /release`: gives a hold back without charging; one that is unknown or captured by now is no error
 * (D10).
 */
export function addReleaseRoute(
  app: FastifyInstance,
  ledger: PaymentLedger,
  door: Door,
  metrics: Metrics,
): void {
  app.post('/release', async (request, reply) => {
    const caller = await admitCaller(door, request, reply)
    if (caller === undefined) return reply
    const holdId = asObject(parseBody(request.body))?.['holdId']
    if (typeof holdId !== 'string' || holdId.length > 100) {
      await answerError(reply, 400, 'holdId must be the id that /verify gave')
      return reply
    }
    const stop = metrics.durations.startTimer({ route: 'release' })
    const released = await ledger.release(holdId, caller.owner)
    stop()
    metrics.answers.inc({ route: 'release', outcome: released ? 'released' : 'not_held' })
    if (released) metrics.payments.inc({ state: 'released', reason: '' })
    const answer: ReleaseResponse = { released }
    return await reply.send(answer)
  })
}
