interface Clock {
  after(ms: number, call: () => void): () => void
  nowMs(): number
}

export const machineClock: Clock
export function reportSlowStep(
  name: string,
  describe: () => string,
  write: (line: string) => void,
  clock: Clock,
): () => void
