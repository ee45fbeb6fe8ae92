/** Below this the counter of CPU time says little. */
const LEAST_MS = 1
const ROUNDS = 7
/** So many times the rounds are taken at most. */
const PATIENCE = 10

/**
 * How many times the CPU time of `control` some work takes: the quickest of some rounds of each, which take turns. Not
 * the time of a clock, and both in the same moment: other programs of the machine hardly count. The threads that compile and
 * collect garbage do; so more rounds are taken while the ratio is not below `limit`: what they add goes, what the work
 * itself takes stays.
 */
export function cpuRatio(
  work: () => unknown,
  control: () => unknown,
  limit: number,
  rounds: number = ROUNDS,
): number {
  let [worked, controlled] = [Infinity, Infinity]
  const ratio = (): number => (LEAST_MS + worked) / (LEAST_MS + controlled)
  for (let round = 0; round < rounds || (round < PATIENCE * rounds && ratio() >= limit); round += 1) {
    worked = Math.min(worked, cpuMs(work))
    controlled = Math.min(controlled, cpuMs(control))
  }
  return ratio()
}

/** What {@link growth} stays below where the time grows with the size. */
export const LINEAR = 10

/** {@link cpuRatio} of work on something four times as large: about 4 where its time grows with the size, 16 with its square. */
export function growth(work: (size: number) => unknown, size: number): number {
  return cpuRatio(
    () => work(4 * size),
    () => work(size),
    LINEAR,
  )
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
