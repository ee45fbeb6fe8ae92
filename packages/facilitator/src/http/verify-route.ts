import { HOLD_EXTENSION, type VerifyResponse } from '@farebox/payments/x402/facilitator-api'
import type { FastifyInstance } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import { readPaymentRequest } from '../engine/read-payment-request.ts'
import type { PaymentRefusal } from '../engine/refusal.ts'
import { verifyPayment } from '../engine/verify-payment.ts'
import type { Metrics } from '../metrics.ts'
import { readJsonBody } from './answer.ts'
import { admitCallers, type AdmissionParts } from './caller.ts'

/** `POST /verify`: checks a payment and holds it (x402; D10). */
export function addVerifyRoute(
  app: FastifyInstance,
  engine: Engine,
  admission: AdmissionParts,
  metrics: Metrics,
): void {
  const { onRequest, serve } = admitCallers(admission)
  app.post('/verify', { onRequest }, async (request, reply) => {
    const stop = metrics.durations.startTimer({ route: 'verify' })
    const read = readPaymentRequest(readJsonBody(request.body), engine.network, engine.verifier)
    const verdict = read.ok
      ? await serve(request, caller => verifyPayment(engine, caller, read.request))
      : read
    stop()
    metrics.answers.inc({ route: 'verify', outcome: verdict.ok ? 'valid' : verdict.refusal.reason })
    if (verdict.ok) metrics.payments.inc({ state: 'held', reason: '' })
    if (!verdict.ok) return await reply.code(verdict.refusal.status).send(invalid(verdict.refusal))
    const answer: VerifyResponse = {
      isValid: true,
      payer: verdict.payer,
      extensions: { [HOLD_EXTENSION]: verdict.hold },
    }
    return await reply.send(answer)
  })
}

function invalid({ reason, message, payer, charge }: PaymentRefusal): VerifyResponse {
  return {
    isValid: false,
    invalidReason: reason,
    invalidMessage: message,
    ...(payer === undefined ? {} : { payer }),
    ...(charge === undefined ? {} : { extensions: { [HOLD_EXTENSION]: { charge } } }),
  }
}
