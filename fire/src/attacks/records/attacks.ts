import type { Attack } from '../attack.ts'
import { changedPolicy } from './changed-policy.ts'
import { evictRecords, loseRedis } from './lose-redis.ts'
import { redisFailover } from './redis-failover.ts'
import { redisSplitBrain } from './redis-split-brain.ts'
import { separateDisks } from './separate-disks.ts'
import { setClock } from './set-clock.ts'

/** Job records that are lost, and clocks that jump. */
export const recordsAttacks: readonly Attack[] = [
  loseRedis,
  evictRecords,
  changedPolicy,
  separateDisks,
  redisFailover,
  redisSplitBrain,
  setClock,
]
