import type { Breach } from './breach.ts'
import { DOCUMENTED_ANSWERS } from './list/documented-answers.ts'
import { FAILURE_IS_FREE } from './list/failure-is-free.ts'
import { NEVER_FOR_FREE } from './list/never-for-free.ts'
import { ONE_PAYMENT_ONE_JOB } from './list/one-payment-one-job.ts'
import { RUNS_OF_FLOWS } from './list/runs-of-flows.ts'
import { SAVED_BEFORE_MONEY } from './list/saved-before-money.ts'
import { UNTRUSTED_CALLERS } from './list/untrusted-callers.ts'

/** Every breach, by what it is about. */
export const BREACHES: readonly Breach[] = [
  ...ONE_PAYMENT_ONE_JOB,
  ...SAVED_BEFORE_MONEY,
  ...FAILURE_IS_FREE,
  ...NEVER_FOR_FREE,
  ...UNTRUSTED_CALLERS,
  ...DOCUMENTED_ANSWERS,
  ...RUNS_OF_FLOWS,
]
