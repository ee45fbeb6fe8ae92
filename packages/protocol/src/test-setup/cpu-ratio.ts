/** Below this the counter of CPU time says little. */
const LEAST_MS = 1
const ROUNDS = 7
/** The rounds are repeated up to this many times. */
const MAX_REPEATS = 10

/**
 * How many times the CPU time of `control` some work takes: the quickest of some rounds of each, which take turns. Not
 * the time of a clock, and both in the same moment: other programs of the machine hardly count. The compiler and
 * garbage collector threads do count, so the rounds are repeated while the ratio is not below `limit`: the minimum
 * drops their share and keeps the time of the work itself.
 */
export function cpuRatio(
  work: () => unknown,
  control: () => unknown,
  limit: number,
  rounds: number = ROUNDS,
): number {
  let [worked, controlled] = [Infinity, Infinity]
  const ratio = (): number => (LEAST_MS + worked) / (LEAST_MS + controlled)
  for (let round = 0; round < rounds || (round < MAX_REPEATS * rounds && ratio() >= limit); round += 1) {
    worked = Math.min(worked, cpuMs(work))
    controlled = Math.min(controlled, cpuMs(control))
  }
  return ratio()
}

/**
 * What {@link growth} stays below where the time grows with the size. Far above 16: large values have more than their
 * share of cache misses and of garbage collection.
 */
export const LINEAR = 128

/** {@link cpuRatio} of work on something sixteen times as large: about 16 where its time grows with the size, 256 with its square. */
export function growth(work: (size: number) => unknown, size: number): number {
  const small = Math.ceil(size / 4)
  return cpuRatio(
    () => work(16 * small),
    () => work(small),
    LINEAR,
  )
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
