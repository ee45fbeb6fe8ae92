import type { Attack } from '../attack.ts'
import { barredPayer } from './barred-payer.ts'
import { batchRace } from './batch-race.ts'
import { freeSecret } from './free-secret.ts'
import { gasBurning } from './gas-burning.ts'
import { queueJumping } from './queue-jumping.ts'

/** Attacks on the turns, the gas and the payers of a facilitator. */
export const settlementAttacks: readonly Attack[] = [
  queueJumping,
  gasBurning,
  batchRace,
  barredPayer,
  freeSecret,
]
