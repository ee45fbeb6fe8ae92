import type { ErrorType } from './answer-table.ts'
import type { Check } from './order-of-checks.ts'

/** The answer that a request must get, as far as it is known by how the request was made. */
export interface ExpectedAnswer {
  /** Which check ends it; undefined where nothing is wrong. */
  readonly check: Check | undefined
  readonly status: number
  readonly errorType?: ErrorType | undefined
  /** The whole message. */
  readonly error?: string | undefined
  /** What the message begins with: the field at fault. */
  readonly errorStarts?: string | undefined
}

/** What one thing wrong with a request is answered with, when nothing earlier is wrong. */
export interface ExpectedRefusal {
  readonly check: Check
  readonly status?: number
  readonly errorType?: ErrorType
  readonly error?: string
  readonly errorStarts?: string
}

const ANSWERS: { readonly [check in Check]: { readonly status: number; readonly errorType: ErrorType } } = {
  route: { status: 405, errorType: 'validation' },
  size: { status: 400, errorType: 'validation' },
  demand: { status: 402, errorType: 'payment' },
  body: { status: 400, errorType: 'validation' },
  service_version: { status: 400, errorType: 'validation' },
  job_id: { status: 400, errorType: 'validation' },
  task: { status: 400, errorType: 'validation' },
  deadline: { status: 400, errorType: 'validation' },
  capability: { status: 400, errorType: 'capability' },
  secret: { status: 401, errorType: 'payment' },
  payer: { status: 402, errorType: 'payment' },
  repeat: { status: 402, errorType: 'payment' },
  terms: { status: 402, errorType: 'payment' },
  lateness: { status: 408, errorType: 'deadline' },
  claim: { status: 402, errorType: 'payment' },
  verify: { status: 402, errorType: 'payment' },
  input: { status: 400, errorType: 'validation' },
  handler: { status: 500, errorType: 'internal' },
  output: { status: 500, errorType: 'internal' },
  settle: { status: 402, errorType: 'payment' },
}

/** The answer to a refusal: the interface's table, unless the refusal knows better. */
export function answerTo(refusal: ExpectedRefusal): ExpectedAnswer {
  const { check } = refusal
  const { status, errorType } = ANSWERS[check]
  return {
    check,
    status: refusal.status ?? status,
    errorType: refusal.errorType ?? errorType,
    error: refusal.error,
    errorStarts:
      refusal.errorStarts ?? (status === 400 && check !== 'capability' ? startOf(check) : undefined),
  }
}

function startOf(check: Check): string | undefined {
  return check === 'size' ? 'body: ' : check === 'input' || check === 'handler' ? undefined : check
}
