import type { Flow } from '@farebox/flows/document/flow'
import { fromAtomic, toAtomic } from '../../format/amount.ts'

/** The number of a flow's paid steps, and the sum of their pinned prices. */
export interface FlowSum {
  /** Paid steps. */
  readonly steps: number
  /** Decimal USDC; lists count at their declared maximum. */
  readonly price: string
}

/** Sums up the paid steps of a flow, with exact arithmetic. */
export function sumFlow({ steps }: Flow): FlowSum {
  const paid = Object.values(steps).filter(step => step.kind === 'job')
  const total = paid.reduce(
    (sum, { pinned, map }) => sum + (toAtomic(pinned.price) ?? 0n) * BigInt(map?.most ?? 1),
    0n,
  )
  return { steps: paid.length, price: fromAtomic(total) }
}

/** `3 paid steps` */
export function countSteps(steps: number): string {
  return steps === 0 ? 'no paid steps' : steps === 1 ? '1 paid step' : `${steps} paid steps`
}
