import type { Mode } from '../run/fuzz-stage.ts'
import type { ErrorType } from './answer-table.ts'

/**
 * What `POST /execute` is judged by (D14), written down a second time, apart from the code it judges: of all that is
 * wrong with a request the earliest check decides the answer. `starts` is what its message begins with.
 */
const CHECKS = {
  size: { status: 400, errorType: 'validation', starts: 'body: ' },
  /** Without a payment header, out of dev mode, the price is the answer. */
  demand: { status: 402, errorType: 'payment', starts: undefined },
  body: { status: 400, errorType: 'validation', starts: 'body: ' },
  service_version: { status: 400, errorType: 'validation', starts: 'service_version: ' },
  job_id: { status: 400, errorType: 'validation', starts: 'job_id: ' },
  task: { status: 400, errorType: 'validation', starts: 'task' },
  deadline: { status: 400, errorType: 'validation', starts: 'deadline: ' },
  capability: { status: 400, errorType: 'capability', starts: 'Unknown capability "' },
  secret: { status: 401, errorType: 'payment', starts: undefined },
  payer: { status: 402, errorType: 'payment', starts: undefined },
  terms: { status: 402, errorType: 'payment', starts: undefined },
  lateness: { status: 408, errorType: 'deadline', starts: undefined },
  verify: { status: 402, errorType: 'payment', starts: undefined },
  input: { status: 400, errorType: 'validation', starts: undefined },
  handler: { status: 500, errorType: 'internal', starts: undefined },
  settle: { status: 402, errorType: 'payment', starts: undefined },
} as const

export type Check = keyof typeof CHECKS

const ORDER = Object.keys(CHECKS)

/** The checks that fall away where nobody pays. */
const OF_PAYMENTS: ReadonlySet<Check> = new Set(['demand', 'secret', 'payer', 'terms', 'verify', 'settle'])

/** One thing that is wrong with a request, and what it is answered with where that is not its check's answer. */
export interface ExpectedRefusal {
  readonly check: Check
  readonly status?: number
  readonly errorType?: ErrorType
  /** What the message begins with: the field at fault. */
  readonly starts?: string | undefined
}

/** The answer that a request must get, as far as it is known by how the request was made. */
export interface ExpectedAnswer {
  /** Which check ends it; undefined where nothing is wrong. */
  readonly check: Check | undefined
  readonly status: number
  readonly errorType?: ErrorType
  readonly starts?: string | undefined
  /** The whole message. */
  readonly error?: string
}

/** The answer to a request with these things wrong. `namesUnknown`: it names a capability that nobody declares. */
export function expectAnswer(
  request: { readonly mode: Mode; readonly isPaid: boolean; readonly namesUnknown: boolean },
  refusals: readonly ExpectedRefusal[],
): ExpectedAnswer {
  const { mode, isPaid, namesUnknown } = request
  const all = [...refusals]
  if (mode === 'locked') all.push({ check: 'secret' })
  if (!isPaid)
    all.push({ check: 'demand', ...(namesUnknown && { status: 400, errorType: 'capability' as const }) })
  const due = mode === 'dev' ? all.filter(({ check }) => !OF_PAYMENTS.has(check)) : all
  const [first] = due.sort((a, b) => orderOf(a.check) - orderOf(b.check))
  return first === undefined ? { check: undefined, status: 200 } : { ...CHECKS[first.check], ...first }
}

/** The place of a check in the order. */
export function orderOf(check: Check): number {
  return ORDER.indexOf(check)
}
