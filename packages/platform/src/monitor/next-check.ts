/** Spreads consecutive numbers evenly over [0, 1): multiples of the golden ratio, modulo 1. */
const GOLDEN_RATIO = 0.618_033_988_749_894_9

/**
 * The maximum delay of a check after its place in the interval, as a share of the interval, so that an agent cannot
 * predict its checks.
 */
const JITTER_SHARE = 0.04

/**
 * When an agent that was checked at `atMs` is due again. Each agent has its own place in the interval, derived from its
 * number, so that the load stays even after any event that checked many agents together. A random delay is added. The
 * result is at least half an interval after `atMs`, and at most one and a half intervals plus the delay.
 *
 * @param chance - a random number in [0, 1)
 */
export function nextCheckMs(agentId: number, atMs: number, intervalMs: number, chance: number): number {
  const placeMs = ((agentId * GOLDEN_RATIO) % 1) * intervalMs
  const turn = Math.floor((atMs + intervalMs / 2 - placeMs) / intervalMs) + 1
  return turn * intervalMs + placeMs + chance * JITTER_SHARE * intervalMs
}
