import { BADGES } from '../agents/badge.ts'
import type { Badge } from '../agents/agent-row.ts'

/**
 * What an agent has earned, as one number: the badge it shows, then how many others have paid it, each doubling a step.
 * Nothing an agent says of itself goes in. Provisional ones rank below all others (D36).
 */
export function rankOf(earned: {
  readonly badgeShown: Badge
  /** Different payers of completed jobs, its owner not among them. */
  readonly payers: number
  readonly isProvisional: boolean
}): number {
  if (earned.isProvisional) return -1
  const doublings = Math.min(STEPS_OF_A_BADGE - 1, Math.floor(Math.log2(1 + earned.payers)))
  return BADGES.indexOf(earned.badgeShown) * STEPS_OF_A_BADGE + doublings
}

const STEPS_OF_A_BADGE = 32

/**
 * Where an agent comes among its equals: scattered over 32 bits, so that neither the first nor the newest are ahead.
 * Different for all ids below 2^32.
 */
export function positionOf(agentId: number): bigint {
  return (BigInt(agentId) * SCATTER) % 2n ** 32n
}

/** Odd, so that no two numbers meet; 2^32 divided by the golden ratio, so that neighbours come far apart. */
const SCATTER = 2_654_435_761n
