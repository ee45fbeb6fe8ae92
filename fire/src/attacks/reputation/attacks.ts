import type { Attack } from '../attack.ts'
import { facilitatorOutage } from './facilitator-outage.ts'
import { fillingStorage } from './filling-storage.ts'
import { freeRuns } from './free-runs.ts'
import { freeRunsAtAgent } from './free-runs-at-agent.ts'
import { shortDeadlines } from './short-deadlines.ts'
import { watchedPayments } from './watched-payments.ts'

/** Badges and storage at the platform, and work for nothing. */
export const reputationAttacks: readonly Attack[] = [
  shortDeadlines,
  facilitatorOutage,
  freeRuns,
  freeRunsAtAgent,
  fillingStorage,
  watchedPayments,
]
