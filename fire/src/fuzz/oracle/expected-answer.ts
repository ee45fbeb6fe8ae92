import type { Mode } from '../run/fuzz-stage.ts'
import type { ErrorType } from './answer-table.ts'

/**
 * The checks of `POST /execute` (D14), written a second time, independent of the code under test: of all faults of a
 * request the earliest check decides the answer. The last item is the beginning of its message.
 */
const CHECKS = {
  size: [400, 'validation', 'body: '],
  /** Without a payment header, outside dev mode, the answer is the price. */
  demand: [402, 'payment'],
  body: [400, 'validation', 'body: '],
  service_version: [400, 'validation', 'service_version: '],
  job_id: [400, 'validation', 'job_id: '],
  task: [400, 'validation', 'task'],
  deadline: [400, 'validation', 'deadline: '],
  capability: [400, 'capability', 'Unknown capability "'],
  secret: [401, 'payment'],
  payer: [402, 'payment'],
  terms: [402, 'payment'],
  lateness: [408, 'deadline'],
  verify: [402, 'payment'],
  input: [400, 'validation'],
  handler: [500, 'internal'],
  settle: [402, 'payment'],
} satisfies { [check: string]: [status: number, errorType: ErrorType, starts?: string] }

export type Check = keyof typeof CHECKS

const ORDER = Object.keys(CHECKS)

/** The checks that do not apply without payments. */
const OF_PAYMENTS: ReadonlySet<Check> = new Set(['demand', 'secret', 'payer', 'terms', 'verify', 'settle'])

/** The answer that a request must get, as far as its construction determines it. */
export interface ExpectedAnswer {
  /** The check that ends it; undefined if there is no fault. */
  readonly check: Check | undefined
  readonly status: number
  readonly errorType?: ErrorType
  /** The beginning of the message: the field at fault. */
  readonly starts?: string | undefined
  /** The whole message. */
  readonly error?: string
}

/** One fault of a request, and its answer if that differs from its check's answer. */
export type ExpectedRefusal = Partial<ExpectedAnswer> & { readonly check: Check }

/** The answer to a request with these faults: that of the earliest. */
export function expectAnswer(mode: Mode, refusals: readonly ExpectedRefusal[]): ExpectedAnswer {
  const all: readonly ExpectedRefusal[] = mode === 'locked' ? [...refusals, { check: 'secret' }] : refusals
  const due = mode === 'dev' ? all.filter(({ check }) => !OF_PAYMENTS.has(check)) : all
  const [first] = due.toSorted((a, b) => orderOf(a.check) - orderOf(b.check))
  return first === undefined ? { check: undefined, status: 200 } : refuse(first)
}

/** The answer of a check. */
export function refuse(refusal: ExpectedRefusal): ExpectedAnswer {
  const [status, errorType, starts] = CHECKS[refusal.check]
  return { status, errorType, starts, ...refusal }
}

/** The position of a check in the order. */
export function orderOf(check: Check): number {
  return ORDER.indexOf(check)
}
