import type { Battery } from '../battery.ts'
import { runAttacks } from './run-attacks.ts'
import { ATTACKS } from './table.ts'

/** Attacks that need real processes, failovers or hostile peers. */
export const attacks: Battery = {
  name: 'attacks',
  does: 'Attacks on running programs: memory of bodies, gas, lost records, nodes that lie, databases that lose writes.',
  run: run => runAttacks(ATTACKS, run),
}
