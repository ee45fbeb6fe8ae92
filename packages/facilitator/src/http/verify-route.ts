import { HOLD_EXTENSION, type VerifyResponse } from '@farebox/payments/x402/facilitator-api'
import { traceOf } from '@farebox/server/internal/request-trace'
import type { FastifyInstance } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import { readPaymentRequest, type PaymentRequest } from '../engine/read-payment-request.ts'
import type { PaymentRefusal } from '../engine/refusal.ts'
import type { VerifyVerdict } from '../engine/verify-verdict.ts'
import { verifyPayment } from '../engine/verify-payment.ts'
import { paymentFields } from '../ledger/payment-fields.ts'
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
    const read = readPaymentRequest(engine, readJsonBody(request.body), traceOf(request.raw).id)
    const verdict = read.ok
      ? await serve(request, caller => verifyPayment(engine, caller, read.request))
      : read
    stop()
    if (read.ok) logVerdict(engine, read.request, verdict)
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

function logVerdict({ log }: Engine, request: PaymentRequest, verdict: VerifyVerdict): void {
  const fields = paymentFields({ ...request, key: request.payment.key })
  if (verdict.ok) log.info('payment held', fields)
  else if (request.isInquiry)
    log.info('payment looked up', { ...fields, charge: verdict.refusal.charge?.state })
  else log.info('payment refused', { ...fields, reason: verdict.refusal.reason })
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
