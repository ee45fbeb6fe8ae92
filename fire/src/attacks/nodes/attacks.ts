import type { Attack } from '../attack.ts'
import { agentClock } from './agent-clock.ts'
import { anotherChain, privateFork } from './another-chain.ts'
import { databaseLoss } from './database-loss.ts'
import { emptySuccesses, inventedReceipts } from './invented-receipts.ts'
import { platformClock } from './platform-clock.ts'
import { conflictingReorganisations, reorganisations } from './reorganisations.ts'
import { wrongBlockTimes, wrongClock } from './wrong-time.ts'

/** Chain nodes that lie, chains that reorganise, clocks that are off. */
export const nodesAttacks: readonly Attack[] = [
  inventedReceipts,
  emptySuccesses,
  wrongBlockTimes,
  wrongClock,
  agentClock,
  platformClock,
  reorganisations,
  conflictingReorganisations,
  anotherChain,
  privateFork,
  databaseLoss,
]
