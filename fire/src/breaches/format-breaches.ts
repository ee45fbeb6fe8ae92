import type { EvidenceRecord } from '../../../scripts/evidence/record.mjs'
import { PROMISES } from './breaches.ts'
import type { BreachOutcome } from './commit-breaches.ts'

/** What `docs/promises.md` is drawn from: for each breach the promises it breaks and the test that noticed. */
export function formatBreaches(
  outcomes: readonly BreachOutcome[],
): Pick<EvidenceRecord, 'sections' | 'lines'> {
  const lines = outcomes.map(({ breach, red, reason }) => ({
    test: breach.name,
    does: breach.breaks,
    reached: red === undefined ? reason : `${red.name} (\`${red.file}\`)`,
    target: 'a red test',
    ok: red !== undefined,
    in: breach.promises,
  }))
  return { sections: PROMISES, lines }
}
