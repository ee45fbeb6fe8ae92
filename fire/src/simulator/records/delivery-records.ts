/** A paid 200, as an agent said it. */
export interface Delivery {
  readonly agent: string
  readonly job: string
  readonly atMs: number
  readonly text: string
  /** The payment that was saved with the response; undefined where none was. */
  readonly payment: string | undefined
  /** Was the payment in a block at that moment? */
  readonly isProven: boolean
}

/** An answer that no table of answers has. */
export interface OddAnswer {
  readonly agent: string
  readonly status: number
  readonly text: string
}

/** What agents said, whether anybody heard it or not. */
export interface DeliveryRecords {
  readonly deliveries: Delivery[]
  readonly oddAnswers: OddAnswer[]
  /** What a facilitator did that it never should, in words. */
  readonly oddDeeds: string[]
}
