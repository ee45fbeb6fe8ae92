import type { Check } from './check.ts'
import { ABOUT_CHECKS } from './about.ts'
import { CAPABILITY_CHECKS } from './capability.ts'
import { COERCION_CHECKS } from './coercion.ts'
import { CONCURRENCY_CHECKS } from './concurrency.ts'
import { CORS_CHECKS } from './cors.ts'
import { DEADLINE_CHECKS } from './deadline.ts'
import { DEV_MODE_CHECKS } from './dev-mode.ts'
import { ERROR_CHECKS } from './handler-errors.ts'
import { HEALTH_CHECKS } from './health.ts'
import { IDEMPOTENCY_CHECKS } from './idempotency.ts'
import { INPUT_CHECKS } from './input.ts'
import { LOCKED_CHECKS } from './locked.ts'
import { LOG_CHECKS } from './log-lines.ts'
import { ORDER_CHECKS } from './order.ts'
import { OUTPUT_CHECKS } from './output.ts'
import { PAYMENT_HEADER_CHECKS } from './payment-headers.ts'
import { PAYMENT_REFUSAL_CHECKS } from './payment-refusals.ts'
import { PAYMENT_REQUIRED_HEADER_CHECKS } from './payment-required-header.ts'
import { PAYMENT_REQUIRED_CHECKS } from './payment-required.ts'
import { PAYMENT_SIGNATURE_CHECKS } from './payment-signatures.ts'
import { PAYMENT_WINDOW_CHECKS } from './payment-windows.ts'
import { REQUEST_FIELD_CHECKS } from './request-fields.ts'
import { REQUEST_SHAPE_CHECKS } from './request-shape.ts'
import { ROUTE_CHECKS } from './routes.ts'
import { SETTLEMENT_CHECKS } from './settlement.ts'
import { TRANSPORT_CHECKS } from './transport.ts'
import { UNPAID_CHECKS } from './unpaid.ts'

/** Every check there is, in the order in which they run: what costs nothing first. */
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

/** The part of an id before the slash: what `only` may name. */
export function areaOf({ id }: Check): string {
  return id.slice(0, id.indexOf('/'))
}
