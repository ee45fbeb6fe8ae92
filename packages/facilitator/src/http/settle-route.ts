import { SETTLEMENT_PENDING, type SettleResponse } from '@farebox/payments/x402/facilitator-api'
import { traceOf } from '@farebox/server/internal/request-trace'
import type { FastifyInstance } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import { readPaymentRequest, type PaymentRequest } from '../engine/read-payment-request.ts'
import type { PaymentRefusal } from '../engine/refusal.ts'
import { settleHeldPayment } from '../engine/settle-payment.ts'
import { paymentFields } from '../ledger/payment-fields.ts'
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
    const read = readPaymentRequest(engine, readJsonBody(request.body), traceOf(request.raw).id)
    const { status, body } = read.ok
      ? await serve(request, caller => settleHeldPayment(engine, caller, read.request))
      : { status: read.refusal.status, body: unreadable(engine, read.refusal) }
    stop()
    if (read.ok) logAnswer(engine, read.request, body)
    metrics.answers.inc({
      route: 'settle',
      outcome: body.success ? 'settled' : (body.errorReason ?? 'failed'),
    })
    return await reply.code(status).send(body)
  })
}

/** A success has a line already: that of the payment's settlement. */
function logAnswer({ log }: Engine, request: PaymentRequest, body: SettleResponse): void {
  if (body.success) return
  const isPending = body.errorReason === SETTLEMENT_PENDING
  const { transaction } = body
  log.info(isPending ? 'settlement pending' : 'settlement refused', {
    ...paymentFields({ ...request, key: request.payment.key }),
    ...(isPending ? {} : { reason: body.errorReason }),
    ...(transaction === '' ? {} : { transaction }),
  })
}

function unreadable({ network }: Engine, { reason, message }: PaymentRefusal): SettleResponse {
  return { success: false, errorReason: reason, errorMessage: message, transaction: '', network: network.id }
}
