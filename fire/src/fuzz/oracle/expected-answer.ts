import type { Mode } from '../run/fuzz-stage.ts'
import type { ErrorType } from './answer-table.ts'

/**
 * What `POST /execute` is judged by (D14), written down a second time, apart from the code it judges: of all that is
 * wrong with a request the earliest check decides the answer. The last is what its message begins with.
 */
const CHECKS = {
  size: [400, 'validation', 'body: '],
  /** Without a payment header, out of dev mode, the price is the answer. */
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

/** The checks that fall away where nobody pays. */
const OF_PAYMENTS: ReadonlySet<Check> = new Set(['demand', 'secret', 'payer', 'terms', 'verify', 'settle'])

/** The answer that a request must get, as far as it is known by how the request was made. */
export interface ExpectedAnswer {
  /** Which check ends it; undefined where nothing is wrong. */
  readonly check: Check | undefined
  readonly status: number
  readonly errorType?: ErrorType
  /** What the message begins with: the field at fault. */
  readonly starts?: string | undefined
  /** The whole message. */
  readonly error?: string
}

/** One thing that is wrong with a request, and what it is answered with where that is not its check's answer. */
export type ExpectedRefusal = Partial<ExpectedAnswer> & { readonly check: Check }

/** The answer to a request with these things wrong, the earliest of them. */
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

/** The place of a check in the order. */
export function orderOf(check: Check): number {
  return ORDER.indexOf(check)
}
