import type { BatteryResult, BatteryRun } from '../battery.ts'
import type { Attack } from './attack.ts'
import { reasonToSkip } from './find-program.ts'

/** Runs attacks one after the other; an attack that succeeds, or whose program fails, is a finding. */
export async function runAttacks(attacks: readonly Attack[], run: BatteryRun): Promise<BatteryResult> {
  const { size, seed, signal, progress } = run
  const scores: BatteryResult['scores'][number][] = []
  const findings: string[] = []
  const skipped: string[] = []
  for (const [done, attack] of attacks.entries()) {
    signal.throwIfAborted()
    progress({ doing: attack.title, done, of: attacks.length })
    const reason = reasonToSkip(attack)
    if (reason !== undefined) {
      skipped.push(`${attack.id} ${attack.title}: ${reason}`)
      continue
    }
    try {
      const seen = await attack.run({ size, seed, signal })
      if (seen.length === 0) findings.push(`${attack.id} ${attack.title}: measured nothing`)
      scores.push(...seen.map(score => ({ ...score, test: `${attack.id} ${attack.title}: ${score.test}` })))
      const replay = `npm run fire -- attacks --only ${attack.id} --seed ${seed}`
      for (const { test, reached, target, isMet } of seen)
        if (!isMet)
          findings.push(`${attack.id} ${attack.title}: ${test}: ${reached}, asked: ${target} (${replay})`)
    } catch (error) {
      signal.throwIfAborted()
      findings.push(
        `${attack.id} ${attack.title}: the program failed: ${error instanceof Error ? error.message : 'unknown error'}`,
      )
    }
  }
  return { scores, findings, skipped }
}
