import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Battery, BatteryResult, BatterySize } from '../battery.ts'
import { ROOT } from '../edits/sources.ts'
import type { Breach } from './breach.ts'
import { BREACHES } from './breaches.ts'
import { commitBreaches, type BreachesOutcome } from './commit-breaches.ts'
import { formatBreaches } from './format-breaches.ts'
import { PROMISE_NAMES } from './promises.ts'

/** Where the table is kept. */
const PAGE = join('docs', 'promises.md')
/** Breaches each promise must have at least. */
const LEAST_BREACHES = 2

/** Breaks each promise in our own code, and looks whether the ordinary tests notice. */
export const breaches: Battery = {
  name: 'breaches',
  does: 'Each promise is broken in our own code on purpose; an ordinary test must turn red.',
  async run({ size, signal, progress }) {
    const chosen = choose(size)
    let done = 0
    const tell = (): void => progress({ doing: 'breaking promises', done, of: chosen.length })
    tell()
    const outcome = await commitBreaches(chosen, signal, () => {
      done += 1
      tell()
    })
    if (size === 'full') await writeFile(join(ROOT, PAGE), formatBreaches(outcome.outcomes))
    return score(chosen, size, outcome)
  },
}

/** The small form takes two whose tests are quick. */
function choose(size: BatterySize): readonly Breach[] {
  return size === 'full'
    ? BREACHES
    : BREACHES.filter(({ name }) => ['nonce-claim-removed', 'dev-mode-by-any-word'].includes(name))
}

function score(chosen: readonly Breach[], size: BatterySize, outcome: BreachesOutcome): BatteryResult {
  const { outcomes, sound, unsound } = outcome
  const missed = outcomes.filter(({ red }) => red === undefined)
  const noticed = outcomes.length - missed.length
  const scores = [
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
  ]
  if (size === 'full') scores.push(scoreCoverage(outcome))
  return {
    scores,
    findings: [
      ...unsound.map(text => `red though nothing is broken: ${text}`),
      ...missed.map(({ breach, reason }) => `${breach.name}: ${breach.breaks}: nothing noticed: ${reason}`),
    ],
  }
}

function scoreCoverage({ outcomes }: BreachesOutcome): BatteryResult['scores'][number] {
  const counts = PROMISE_NAMES.map(
    name => outcomes.filter(({ breach, red }) => red !== undefined && breach.promises.includes(name)).length,
  )
  const least = Math.min(...counts)
  return {
    test: `${PROMISE_NAMES.length} promises and invariants`,
    reached: `each noticed in at least ${least} breaches`,
    target: `${LEAST_BREACHES} each`,
    isMet: least >= LEAST_BREACHES,
  }
}
