import type { Check } from '../check/check.ts'
import { ABOUT_CHECKS } from '../areas/discovery/about.ts'
import { CAPABILITY_CHECKS } from '../areas/request/capability.ts'
import { COERCION_CHECKS } from '../areas/request/coercion.ts'
import { CONCURRENCY_CHECKS } from '../areas/job/concurrency.ts'
import { CORS_CHECKS } from '../areas/discovery/cors.ts'
import { DEADLINE_CHECKS } from '../areas/job/deadline.ts'
import { DEV_MODE_CHECKS } from '../areas/job/dev-mode.ts'
import { ERROR_CHECKS } from '../areas/job/handler-errors.ts'
import { HEALTH_CHECKS } from '../areas/discovery/health.ts'
import { IDEMPOTENCY_CHECKS } from '../areas/job/idempotency.ts'
import { INPUT_CHECKS } from '../areas/request/input.ts'
import { LOCKED_CHECKS } from '../areas/payment/locked.ts'
import { LOG_CHECKS } from '../areas/job/log-lines.ts'
import { ORDER_CHECKS } from '../areas/payment/order.ts'
import { OUTPUT_CHECKS } from '../areas/job/output.ts'
import { PAYMENT_HEADER_CHECKS } from '../areas/payment/payment-headers.ts'
import { PAYMENT_REFUSAL_CHECKS } from '../areas/payment/payment-refusals.ts'
import { PAYMENT_REQUIRED_HEADER_CHECKS } from '../areas/price/payment-required-header.ts'
import { PAYMENT_REQUIRED_CHECKS } from '../areas/price/payment-required.ts'
import { PAYMENT_SIGNATURE_CHECKS } from '../areas/payment/payment-signatures.ts'
import { PAYMENT_WINDOW_CHECKS } from '../areas/payment/payment-windows.ts'
import { REQUEST_FIELD_CHECKS } from '../areas/request/request-fields.ts'
import { REQUEST_SHAPE_CHECKS } from '../areas/request/request-shape.ts'
import { ROUTE_CHECKS } from '../areas/discovery/routes.ts'
import { SETTLEMENT_CHECKS } from '../areas/job/settlement.ts'
import { TRANSPORT_CHECKS } from '../areas/request/transport.ts'
import { UNPAID_CHECKS } from '../areas/price/unpaid.ts'

/** Returns all checks in the order in which they run: the free ones first. */
export function listChecks(): readonly Check[] {
  return [
    ...HEALTH_CHECKS,
    ...ABOUT_CHECKS,
    ...ROUTE_CHECKS,
    ...CORS_CHECKS,
    ...PAYMENT_REQUIRED_CHECKS,
    ...PAYMENT_REQUIRED_HEADER_CHECKS,
    ...UNPAID_CHECKS,
    ...REQUEST_SHAPE_CHECKS,
    ...REQUEST_FIELD_CHECKS,
    ...CAPABILITY_CHECKS,
    ...LOCKED_CHECKS,
    ...PAYMENT_HEADER_CHECKS,
    ...PAYMENT_REFUSAL_CHECKS,
    ...PAYMENT_WINDOW_CHECKS,
    ...PAYMENT_SIGNATURE_CHECKS,
    ...ORDER_CHECKS,
    ...TRANSPORT_CHECKS,
    ...DEV_MODE_CHECKS,
    ...INPUT_CHECKS,
    ...COERCION_CHECKS,
    ...DEADLINE_CHECKS,
    ...ERROR_CHECKS,
    ...OUTPUT_CHECKS,
    ...SETTLEMENT_CHECKS,
    ...LOG_CHECKS,
    ...CONCURRENCY_CHECKS,
    ...IDEMPOTENCY_CHECKS,
  ]
}

/** The part of an id before the slash, which `only` may name. */
export function areaOf({ id }: Check): string {
  return id.slice(0, id.indexOf('/'))
}
