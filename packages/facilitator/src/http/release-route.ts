import type { ReleaseResponse } from '@farebox/payments/x402/facilitator-api'
import { objectOf } from '@farebox/protocol/internal/guards/json'
import type { FastifyInstance } from 'fastify'
import type { Log } from '@farebox/server/log'
import { traceOf } from '@farebox/server/internal/request-trace'
import { paymentFields } from '../ledger/payment-fields.ts'
import type { PaymentLedger } from '../ledger/payment-ledger.ts'
import { sendError, readJsonBody } from './answer.ts'
import { admitCallers, type AdmissionParts } from './caller.ts'
import type { Metrics } from '../metrics.ts'

/** Longer than any hold id or binding. */
const MAX_CHARACTERS = 100

/**
 * `POST /release`: releases a hold without charging. A hold that is unknown, already captured or made for another job is not
 * an error and is left unchanged (D10).
 */
export function addReleaseRoute(
  app: FastifyInstance,
  { ledger, log }: { readonly ledger: PaymentLedger; readonly log: Log },
  admission: AdmissionParts,
  metrics: Metrics,
): void {
  const { onRequest, serve } = admitCallers(admission)
  app.post('/release', { onRequest }, async (request, reply) => {
    const { holdId, binding } = objectOf(readJsonBody(request.body))
    if (typeof holdId !== 'string' || holdId.length > MAX_CHARACTERS) {
      await sendError(reply, 400, 'holdId must be the id that /verify gave')
      return reply
    }
    if (typeof binding !== 'string' || binding.length > MAX_CHARACTERS) {
      await sendError(reply, 400, 'binding must be what the hold was made for, as /verify was sent it')
      return reply
    }
    const stop = metrics.durations.startTimer({ route: 'release' })
    const key = await serve(request, ({ owner }) => ledger.release({ holdId, binding, owner }))
    stop()
    const isReleased = key !== undefined
    metrics.answers.inc({ route: 'release', outcome: isReleased ? 'released' : 'not_held' })
    if (isReleased) {
      metrics.payments.inc({ state: 'released', reason: '' })
      log.info('payment released', paymentFields({ key, binding, trace: traceOf(request.raw).id }))
    }
    const answer: ReleaseResponse = { released: isReleased }
    return await reply.send(answer)
  })
}
