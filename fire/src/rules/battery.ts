import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ruleCases } from '@farebox/conformance/facilitator'
import type { Battery, BatteryResult, Score } from '../battery.ts'
import { playSubjects } from './play-subjects.ts'
import { breaches, matrixPage, type Column } from './report.ts'
import { startSubjects } from './start-subjects.ts'

const PAGE = fileURLToPath(new URL('../../../docs/facilitator-rules.md', import.meta.url))
/** A good payment, and one broken under each of some rules. */
const SMALL: readonly string[] = ['SR1-01', 'SR1-08', 'SR2-01', 'SR3-01', 'SR4-07', 'SR5-01', 'API-01']

/** What a facilitator must do with a payment, judged by its answers and by the chain. */
export const rules: Battery = {
  name: 'rules',
  does: 'The rules a facilitator must keep, put to ours and to the x402 reference; judged by their answers and by the chain.',
  async run({ size, signal, progress }) {
    const isFull = size === 'full'
    const cases = isFull ? ruleCases : ruleCases.filter(({ id }) => SMALL.includes(id))
    const subjects = await startSubjects({ reference: isFull })
    try {
      let done = 0
      const onPlayed = (name: string): void =>
        progress({ doing: `rules: ${name}`, done: (done += 1), of: cases.length * subjects.trials.length })
      const columns = await playSubjects(subjects, cases, onPlayed, signal)
      signal.throwIfAborted()
      if (isFull) await writeFile(PAGE, matrixPage(columns, new Date().toISOString().slice(0, 10)))
      return score(columns, cases.length)
    } finally {
      await subjects.stop()
    }
  },
}

/** Ours must keep every rule; how another does is told, and is no fault of ours. */
function score(columns: readonly Column[], cases: number): BatteryResult {
  const [own, ...others] = columns
  if (own === undefined) throw new Error('no facilitator was started')
  const findings = breaches(own)
  const scores = [
    scoreColumn(own, 'all', ({ kept }) => kept === cases),
    ...others.map(column => scoreColumn(column, 'for comparison', ({ applied }) => applied > 0)),
  ]
  return { scores, findings }
}

interface Counts {
  readonly applied: number
  readonly kept: number
}

function scoreColumn({ name, played }: Column, target: string, isMet: (counts: Counts) => boolean): Score {
  const applied = played.filter(({ outcome }) => outcome !== undefined)
  const kept = applied.filter(({ outcome }) => outcome?.wrong === undefined).length
  return {
    test: `${played.length} facilitator rules: ${name}`,
    reached: `${kept} kept of ${applied.length} that apply`,
    target,
    isMet: isMet({ applied: applied.length, kept }),
  }
}
