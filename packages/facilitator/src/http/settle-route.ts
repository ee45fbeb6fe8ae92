import type { SettleResponse } from '@farebox/payments/x402/facilitator-api'
import type { FastifyInstance } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import { readPaymentRequest } from '../engine/read-payment-request.ts'
import type { PaymentRefusal } from '../engine/refusal.ts'
import { settleHeldPayment } from '../engine/settle-payment.ts'
import type { Metrics } from '../metrics.ts'
import { readJsonBody } from './answer.ts'
import { admitCallers, type AdmissionParts } from './caller.ts'

/** `POST /settle`: charges a payment and responds with the proof; safe to repeat (x402; D8, D10). */
export function addSettleRoute(
  app: FastifyInstance,
  engine: Engine,
  admission: AdmissionParts,
  metrics: Metrics,
): void {
  const { onRequest, serve } = admitCallers(admission)
  app.post('/settle', { onRequest }, async (request, reply) => {
    const stop = metrics.durations.startTimer({ route: 'settle' })
    const read = readPaymentRequest(readJsonBody(request.body), engine.network, engine.verifier)
    const { status, body } = read.ok
      ? await serve(request, caller => settleHeldPayment(engine, caller, read.request))
      : { status: read.refusal.status, body: unreadable(engine, read.refusal) }
    stop()
    metrics.answers.inc({
      route: 'settle',
      outcome: body.success ? 'settled' : (body.errorReason ?? 'failed'),
    })
    return await reply.code(status).send(body)
  })
}

function unreadable({ network }: Engine, { reason, message }: PaymentRefusal): SettleResponse {
  return { success: false, errorReason: reason, errorMessage: message, transaction: '', network: network.id }
}
