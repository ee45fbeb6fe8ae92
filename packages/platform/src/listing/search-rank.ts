import { BADGES } from '../agents/badge.ts'
import type { Badge } from '../agents/agent-row.ts'

/**
 * The rank of an agent in search, as one number: its shown badge first, then the number of its payers on a logarithmic
 * scale. Nothing that the agent declares is used. Provisional agents rank below all others (D36).
 */
export function rankOf(earned: {
  readonly badgeShown: Badge
  /** Different payers of completed jobs, without the owner. */
  readonly payers: number
  readonly isProvisional: boolean
}): number {
  if (earned.isProvisional) return -1
  const doublings = Math.min(STEPS_OF_A_BADGE - 1, Math.floor(Math.log2(1 + earned.payers)))
  return BADGES.indexOf(earned.badgeShown) * STEPS_OF_A_BADGE + doublings
}

const STEPS_OF_A_BADGE = 32

/**
 * The position of an agent among agents of equal rank: spread over 32 bits, so that neither old nor new agents have an
 * advantage. Unique for all ids below 2^32.
 */
export function positionOf(agentId: number): bigint {
  return (BigInt(agentId) * SCATTER) % 2n ** 32n
}

/**
 * Odd, so that no two ids get the same position; 2^32 divided by the golden ratio, so that neighbouring ids get distant
 * positions.
 */
const SCATTER = 2_654_435_761n
