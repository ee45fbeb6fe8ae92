import { numbered } from '../../trial/rule-case.ts'
import { idempotentCases } from './idempotent.ts'
import { revertedCases } from './reverted.ts'
import { truthCases } from './truth.ts'

/** SR4: receipt and Transfer, foreign transactions, cancellations, reverts, and the same response every time. */
export const settlementCases = numbered('SR4', [...truthCases, ...revertedCases, ...idempotentCases])
