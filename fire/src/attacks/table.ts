import { behindPgBouncer } from './access/behind-pgbouncer.ts'
import type { Attack } from './attack.ts'
import { oneByteAnswers } from './bodies/one-byte-answers.ts'
import { oneByteRequests } from './bodies/one-byte-requests.ts'
import { waitingRequests } from './bodies/waiting-requests.ts'
import { privateFork } from './chain/private-fork.ts'
import { databaseLoss } from './chain/database-loss.ts'
import { conflictingReorganisations } from './chain/reorganisations.ts'
import { loseRedis } from './records/lose-redis.ts'
import { redisFailover } from './records/redis-failover.ts'
import { redisSplitBrain } from './records/redis-split-brain.ts'
import { gasBurning } from './chain/gas-burning.ts'

/** Every attack, in the order they run. What a test beside the code shows is not repeated here. */
export const ATTACKS: readonly Attack[] = [
  oneByteRequests,
  oneByteAnswers,
  waitingRequests,
  gasBurning,
  loseRedis,
  redisFailover,
  redisSplitBrain,
  conflictingReorganisations,
  privateFork,
  databaseLoss,
  behindPgBouncer,
]
