/** A paid 200, as an agent sent it. */
interface Delivery {
  readonly job: string
  readonly atMs: number
  readonly text: string
  /** The payment that was saved with the response; undefined if none was. */
  readonly payment: string | undefined
  /** Whether the payment was in a block at that moment. */
  readonly isProven: boolean
}

/** The result that our client returned to its caller. */
export interface ClientReport {
  readonly job: string
  /** The payment in its journal; undefined if it signed none. */
  readonly payment: string | undefined
  readonly reported: 'done' | 'failed' | 'unresolved' | 'nothing was paid'
  readonly words: string
}

/** Our facilitator's answer to an agent that is not ours. */
export interface FacilitatorReport {
  readonly payment: string
  readonly binding: string
  readonly reported: 'settled' | 'failed' | 'released'
  readonly reason: string
  /** No later request could change it. */
  readonly isLast: boolean
}

/** Opens the records of all answers, whether they were received or not. */
export function openWords() {
  return {
    said: {
      deliveries: [] as Delivery[],
      /** Answers that are in no table of answers. */
      oddAnswers: [] as { readonly agent: string; readonly status: number; readonly text: string }[],
      /** Violations by a facilitator, in words. */
      oddDeeds: [] as string[],
    },
    words: {
      ofClients: [] as ClientReport[],
      /** Payments that our client signed, by the job they were for. */
      signed: new Map<string, Set<string>>(),
      ofFacilitators: [] as FacilitatorReport[],
    },
  }
}
