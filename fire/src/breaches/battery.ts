import { RefusedOption, type Battery, type BatteryResult, type BatteryRun, type Score } from '../battery.ts'
import { BREACHES, PROMISES, type Breach } from './breaches.ts'
import { commitBreaches, type BreachesOutcome, type BreachOutcome } from './commit-breaches.ts'

/** The minimum number of breaches of each promise. */
const LEAST_BREACHES = 2
/** Two breaches whose tests are quick. */
const SMALL: readonly string[] = ['nonce-claim-removed', 'dev-mode-by-any-word']

/** Breaks each promise in our own code, and checks that the ordinary tests detect it. */
export const breaches: Battery = {
  name: 'breaches',
  does: 'Each promise is broken in our own code on purpose; an ordinary test must turn red.',
  flags: { only: { value: '<names>', help: 'these breaches, separated by commas; a line for each' } },
  run,
}

async function run({ size, signal, progress, flags = {} }: BatteryRun): Promise<BatteryResult> {
  const names = flags['only']?.split(',') ?? (size === 'small' ? SMALL : undefined)
  const chosen = BREACHES.filter(({ name }) => names?.includes(name) ?? true)
  const unknown = names?.find(name => chosen.every(breach => breach.name !== name))
  if (unknown !== undefined) throw new RefusedOption(`no breach is called ${unknown}`)
  let done = 0
  const report = (): void => progress({ doing: 'breaking promises', done, of: chosen.length })
  report()
  const outcome = await commitBreaches(chosen, signal, ({ breach, red }) => {
    done += 1
    report()
    if (red !== undefined) process.stdout.write(`✓ ${breach.name}: ${red.file}: ${red.name}\n`)
  })
  const result = score(chosen, outcome)
  if (names !== undefined) return result
  return {
    ...result,
    scores: [...result.scores, scoreCoverage(outcome)],
    tables: { promises: { sections: PROMISES, lines: outcome.outcomes.map(describeOutcome) } },
  }
}

function score(chosen: readonly Breach[], { outcomes, sound, unsound }: BreachesOutcome): BatteryResult {
  const missed = outcomes.filter(({ red }) => red === undefined)
  const noticed = outcomes.length - missed.length
  return {
    scores: [
      {
        test: 'the tests concerned, nothing broken',
        reached: `${sound} green, ${unsound.length} red`,
        target: 'all green',
        isMet: sound > 0 && unsound.length === 0,
      },
      {
        test: `${chosen.length} deliberate breaches of our own code`,
        reached: `${noticed} turn a test red`,
        target: 'all',
        isMet: noticed === chosen.length,
      },
    ],
    findings: [
      ...unsound.map(text => `red though nothing is broken: ${text}`),
      ...missed.map(({ breach, reason }) => `${breach.name}: ${breach.breaks}: nothing noticed: ${reason}`),
    ],
  }
}

function scoreCoverage({ outcomes }: BreachesOutcome): Score {
  const counts = Object.keys(PROMISES).map(
    name => outcomes.filter(({ breach, red }) => red !== undefined && breach.promises.includes(name)).length,
  )
  const least = Math.min(...counts)
  return {
    test: `${counts.length} promises and invariants`,
    reached: `each noticed in at least ${least} breaches`,
    target: `${LEAST_BREACHES} each`,
    isMet: least >= LEAST_BREACHES,
  }
}

/** A line of `docs/promises.md`: the promises that a breach breaks, and the test that detected it. */
export function describeOutcome({ breach, red, reason }: BreachOutcome) {
  return {
    test: breach.name,
    does: breach.breaks,
    reached: red === undefined ? reason : `${red.name} (\`${red.file}\`)`,
    target: 'a red test',
    ok: red !== undefined,
    in: breach.promises,
  }
}
