import { accessAttacks } from './access/attacks.ts'
import type { Attack } from './attack.ts'
import { bodiesAttacks } from './bodies/attacks.ts'
import { checkingAttacks } from './checking/attacks.ts'
import { nodesAttacks } from './nodes/attacks.ts'
import { recordsAttacks } from './records/attacks.ts'
import { repeatsAttacks } from './repeats/attacks.ts'
import { reputationAttacks } from './reputation/attacks.ts'
import { settlementAttacks } from './settlement/attacks.ts'

/** Every attack, in the order they run. */
export const allAttacks: readonly Attack[] = [
  ...bodiesAttacks,
  ...settlementAttacks,
  ...checkingAttacks,
  ...reputationAttacks,
  ...repeatsAttacks,
  ...recordsAttacks,
  ...nodesAttacks,
  ...accessAttacks,
]
