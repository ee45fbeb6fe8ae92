import type { Battery } from '../battery.ts'
import { runAttacks } from './run-attacks.ts'
import { ATTACKS } from './table.ts'

/** Attacks that need real processes, failovers or hostile peers. */
export const attacks: Battery = {
  name: 'attacks',
  does: 'Attacks on running programs: memory of bodies, gas, lost records, nodes that lie, databases that lose writes.',
  flags: { only: { value: '<id or words>', help: 'attacks whose id or title contains it' } },
  run: run =>
    runAttacks(
      ATTACKS.filter(({ id, title }) => `${id} ${title}`.includes(run.flags?.['only'] ?? '')),
      run,
    ),
}
