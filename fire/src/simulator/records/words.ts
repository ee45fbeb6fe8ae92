/** A paid 200, as an agent said it. */
interface Delivery {
  readonly job: string
  readonly atMs: number
  readonly text: string
  /** The payment that was saved with the response; undefined where none was. */
  readonly payment: string | undefined
  /** Was the payment in a block at that moment? */
  readonly isProven: boolean
}

/** What our client told its caller. */
export interface ClientReport {
  readonly job: string
  /** The payment it had journalled; undefined where it signed none. */
  readonly payment: string | undefined
  readonly reported: 'done' | 'failed' | 'unresolved' | 'nothing was paid'
  readonly words: string
}

/** What our facilitator told an agent that is not of our making. */
export interface FacilitatorReport {
  readonly payment: string
  readonly binding: string
  readonly reported: 'settled' | 'failed' | 'released'
  readonly reason: string
  /** Nothing was asked afterwards that could change it. */
  readonly isLast: boolean
}

/** Opens the records of what was said, whether anybody heard it or not. */
export function openWords() {
  return {
    said: {
      deliveries: [] as Delivery[],
      /** Answers that no table of answers has. */
      oddAnswers: [] as { readonly agent: string; readonly status: number; readonly text: string }[],
      /** What a facilitator did that it never should, in words. */
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
