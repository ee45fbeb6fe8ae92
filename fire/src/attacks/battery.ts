import type { Battery, BatteryResult, BatteryRun, Score } from '../battery.ts'
import { behindPgBouncer } from './access/behind-pgbouncer.ts'
import { findProgram, type Attack } from './attack.ts'
import { oneByteAnswers } from './bodies/one-byte-answers.ts'
import { oneByteRequests } from './bodies/one-byte-requests.ts'
import { waitingRequests } from './bodies/waiting-requests.ts'
import { databaseLoss } from './chain/database-loss.ts'
import { gasBurning } from './chain/gas-burning.ts'
import { privateFork } from './chain/private-fork.ts'
import { conflictingReorganisations } from './chain/reorganisations.ts'
import { redisSplitBrain } from './records/redis-split-brain.ts'

/** Every attack, in the order they run. Properties that unit tests show are not repeated here. */
export const ATTACKS: readonly Attack[] = [
  oneByteRequests,
  oneByteAnswers,
  waitingRequests,
  gasBurning,
  redisSplitBrain,
  conflictingReorganisations,
  privateFork,
  databaseLoss,
  behindPgBouncer,
]

/** Attacks that need real processes, failovers or hostile peers. */
export const attacks: Battery = {
  name: 'attacks',
  does: 'Attacks on running programs: memory of bodies, gas, nodes that lie, databases that lose writes.',
  flags: { only: { value: '<id or words>', help: 'attacks whose id or title contains it' } },
  run,
}

/** Runs attacks one after the other; an attack that succeeds, or whose program fails, is a finding. */
async function run({ size, signal, progress, flags }: BatteryRun): Promise<BatteryResult> {
  const chosen = ATTACKS.filter(({ id, title }) => `${id} ${title}`.includes(flags?.['only'] ?? ''))
  const scores: Score[] = []
  const findings: string[] = []
  const skipped: string[] = []
  for (const [done, attack] of chosen.entries()) {
    signal.throwIfAborted()
    const { id, title, needs } = attack
    progress({ doing: title, done, of: chosen.length })
    if (needs !== undefined && findProgram(needs) === undefined) {
      skipped.push(`${id} ${title}: ${needs} is not installed`)
      continue
    }
    try {
      const seen = await attack.run({ size, signal })
      if (seen.length === 0) findings.push(`${id} ${title}: measured nothing`)
      for (const score of seen) {
        const test = `${id} ${title}: ${score.test}`
        scores.push({ ...score, test })
        const { reached, target, isMet } = score
        if (!isMet)
          findings.push(`${test}: ${reached}, asked: ${target} (npm run fire -- attacks --only ${id})`)
      }
    } catch (error) {
      signal.throwIfAborted()
      findings.push(`${id} ${title}: the program failed: ${String(error)}`)
    }
  }
  return { scores, findings, skipped }
}
