/** Below this the counter of CPU time says little. */
const LEAST_MS = 1

/**
 * How many times the CPU time of `control` some work takes: the quickest of some rounds of each, which take turns. Not
 * the time of a clock, and both in the same moment: other programs of the machine hardly count.
 */
export function cpuRatio(work: () => unknown, control: () => unknown, rounds = 7): number {
  const [worked, controlled]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    worked.push(cpuMs(work))
    controlled.push(cpuMs(control))
  }
  return (LEAST_MS + Math.min(...worked)) / (LEAST_MS + Math.min(...controlled))
}

/** {@link cpuRatio} of work on something four times as large: about 4 where its time grows with the size, 16 with its square. */
export function growth(work: (size: number) => unknown, size: number): number {
  return cpuRatio(
    () => work(4 * size),
    () => work(size),
  )
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
