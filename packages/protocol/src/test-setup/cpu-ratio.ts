/** Below this the CPU time counter is too coarse. */
const LEAST_MS = 1
const ROUNDS = 7
/** The rounds are repeated up to this many times. */
const MAX_REPEATS = 10

/**
 * The CPU time of some work as a multiple of the time of `control`: the fastest of several rounds each, run alternately. CPU
 * time instead of wall-clock time, and both at the same moment, so that other programs of the machine hardly matter. The
 * compiler and garbage collector threads count too, so the rounds are repeated while the ratio is not below `limit`: the
 * minimum excludes their share and keeps the time of the work itself.
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
 * The limit for {@link growth} of linear work. Far above 16, because large values cause a disproportionate number of cache
 * misses and garbage collections.
 */
export const LINEAR = 128

/**
 * {@link cpuRatio} for work on a value sixteen times as large: about 16 when the time grows linearly, 256 when it grows
 * quadratically.
 */
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
