import type { Answer } from '../../answer/answer.ts'

/** How one attempt at an order ended. An unknown outcome is thrown instead, as an `OutcomeInDoubt`. */
export type Served =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly how: 'run' | 'repeat' }
  /** Nothing was charged for this job, as far as anybody knows: to be thrown. */
  | { readonly kind: 'refused'; readonly refusal: unknown }
  /** Another process has the job by now, and its record decides: it is read again. */
  | { readonly kind: 'taken' }

export const TAKEN: Served = { kind: 'taken' }

export function answered(answer: Answer, how: 'run' | 'repeat' = 'run'): Served {
  return { kind: 'answered', answer, how }
}

export function refused(refusal: unknown): Served {
  return { kind: 'refused', refusal }
}
