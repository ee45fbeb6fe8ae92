import { expect, test } from 'vitest'
import { findGaps } from './score-fuzz.ts'
import { fuzzOnCores } from './run/fuzz-on-cores.ts'
import { quantileMs } from './run/tally.ts'

const ANSWERS = 100_000
/** Each kind of answer and each branch of the generator must come up so often, or nobody judged it. */
const EACH_SEEN = 3

test(
  '100,000 generated requests are answered as foreseen, and everything documented comes up',
  { timeout: 400_000 },
  async () => {
    const outcome = await fuzzOnCores({
      seed: 20_270_101,
      answers: ANSWERS,
      workers: 2,
      signal: new AbortController().signal,
    })
    expect(outcome.findings).toEqual([])
    expect(findGaps(outcome, EACH_SEEN)).toEqual([])
    expect(outcome.tally.answers).toBeGreaterThanOrEqual(ANSWERS)
    // Beside other tests; alone it is a few milliseconds.
    expect(quantileMs(outcome.tally, 0.99)).toBeLessThan(100)
  },
)
