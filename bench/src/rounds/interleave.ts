/** A measurement in rounds. */
export interface Contender<Round> {
  readonly name: string
  /** Runs one round and measures it; `round` counts from 0, negative ones warm up and are discarded. */
  readonly run: (round: number) => Promise<Round>
}

/** The number of rounds. */
export interface Rounds {
  readonly warmUps: number
  readonly rounds: number
}

/**
 * Runs the contenders' rounds in turn, in a new random order each time, so that other load on the machine affects all
 * of them alike. Resolves to the rounds of each by its name.
 */
export async function interleave<Round>(
  contenders: readonly Contender<Round>[],
  { warmUps, rounds }: Rounds,
  tell: (doing: string) => void,
): Promise<ReadonlyMap<string, readonly Round[]>> {
  const measured = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const { name, run } of shuffle(contenders)) {
      tell(round < 0 ? `warming up ${name}` : `round ${round + 1} of ${rounds}: ${name}`)
      const result = await run(round)
      if (round >= 0) measured.get(name)?.push(result)
    }
  }
  return measured
}

/** Fisher and Yates. */
function shuffle<T>(items: readonly T[]): readonly T[] {
  const left = [...items]
  return items.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1))
}
