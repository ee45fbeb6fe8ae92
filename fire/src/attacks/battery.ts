import type { Battery } from '../battery.ts'
import { allAttacks } from './all-attacks.ts'
import { runAttacks } from './run-attacks.ts'

/** Attacks that once worked, each rebuilt as a program that measures what must hold instead. */
export const attacks: Battery = {
  name: 'attacks',
  does: 'Attacks that once worked against running programs: memory, queues, gas, the event loop, reputations, repeats, lost records, lying nodes.',
  run: run => runAttacks(allAttacks, run),
}
