/** Spreads consecutive numbers evenly over [0, 1): multiples of the golden ratio, modulo 1. */
const GOLDEN_RATIO = 0.618_033_988_749_894_9

/** How far beyond its place in the interval a check may fall, so that nobody can tell when he is looked at. */
const JITTER_SHARE = 0.04

/**
 * When an agent checked at `atMs` is to be checked again: at its own place in the interval, which follows from its
 * number, so that the load of all agents stays even whatever moved them together; a little later by chance. At least half
 * an interval from `atMs`, at most one and a half and the jitter.
 *
 * @param chance - in [0, 1)
 */
export function nextCheckMs(agentId: number, atMs: number, intervalMs: number, chance: number): number {
  const placeMs = ((agentId * GOLDEN_RATIO) % 1) * intervalMs
  const turn = Math.floor((atMs + intervalMs / 2 - placeMs) / intervalMs) + 1
  return turn * intervalMs + placeMs + chance * JITTER_SHARE * intervalMs
}
