import type { Answer } from '../../answer/answer.ts'

/** The result of one attempt at an order. An unknown outcome is thrown as an `OutcomeInDoubt` instead. */
export type Served =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly how: 'run' | 'repeat' }
  /** As far as is known, nothing was charged for this job; the refusal is to be thrown. */
  | { readonly kind: 'refused'; readonly refusal: unknown }
  /** Another process has the job, and its record decides: the record is read again. */
  | { readonly kind: 'taken' }

export const TAKEN: Served = { kind: 'taken' }

export function answered(answer: Answer, how: 'run' | 'repeat' = 'run'): Served {
  return { kind: 'answered', answer, how }
}

export function refused(refusal: unknown): Served {
  return { kind: 'refused', refusal }
}
