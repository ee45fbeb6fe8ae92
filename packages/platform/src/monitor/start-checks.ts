import { sleep } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import { startDeadline } from '../outbound/deadline.ts'
import { createSlots, type Slots } from '../outbound/slots.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Background } from '../work/loop.ts'
import { startWorker } from '../work/worker.ts'
import { checkAgent, type CheckResult } from './ask/check-agent.ts'
import { finishInGroups } from './finish-checks.ts'
import {
  CHECK_LEASE_MS,
  checksTakenAtOnce,
  leaseChecks,
  renewChecks,
  type CheckLease,
} from './lease-checks.ts'
import { watchOwnOutage } from './watch-own-outage.ts'

/** What a test or a bench may set; a platform leaves it as it is. */
export interface CheckOptions {
  /** First attempts at a time; default 1,000. */
  readonly atOnce?: number
  /** Second attempts at a time; default 1,000. */
  readonly secondAtOnce?: number
  /** In [0, 1). */
  readonly chance?: () => number
  /** Virtual time for what is due; default the database's clock. */
  readonly dueAtMs?: () => number
  /** Called with each check as it begins. */
  readonly onStart?: (lease: CheckLease) => void
}

const AT_ONCE = 1_000

/** How often an own outage is looked at again. */
const ASK_AGAIN_MS = 15_000

/** How often agents are looked for that were due long ago: the process that had taken them may have failed meanwhile. */
const SWEEP_EVERY_MS = 30_000

/** Others may be writing what was due a little earlier. */
const OVERLAP_MS = 1_000

/** Where few places are free, more become free within this time: better than one statement for each. */
const BREATH_MS = 20

/** How long a second attempt may wait for its turn; then the check is not counted and is made again a little later. */
const TIMEOUT_MS = 20_000

/**
 * Checks agents as they come due, sharing them with all processes that do the same: so many first attempts at a time.
 * Second attempts may last six times as long and have places of their own: however many agents are slow, the others are
 * checked when they are due (HLT-07). When it is stopped, what is under way is written or given back.
 */
export function startChecks(parts: PlatformParts, options: CheckOptions = {}): Background {
  const { clock, database, log, settings } = parts
  const { chance = Math.random, atOnce = AT_ONCE, secondAtOnce = AT_ONCE, dueAtMs, onStart } = options
  const outage = watchOwnOutage(parts, chance)
  const secondTurns = createSlots(secondAtOnce)
  const finish = finishInGroups(parts, { outage, chance })
  const nextDue = leaseOnwards(parts, options)
  /** With their newest fence. */
  const underWay = new Map<number, CheckLease>()
  const newestOf = (lease: CheckLease): CheckLease => underWay.get(lease.agentId) ?? lease
  const pollMs = clamp(settings.checkIntervalMs / 20, 20, 500)
  return startWorker<CheckLease>(clock, {
    slots: atOnce,
    gatherMs: BREATH_MS,
    pace: { pollMs, idleMs: pollMs * 2 },
    room: free => ({ limit: checksTakenAtOnce(free) }),
    async take({ limit }, signal) {
      if (outage.isOurs()) {
        await sleep(clock, clamp(settings.checkIntervalMs / 4, 20, ASK_AGAIN_MS), signal)
        await outage.askAgain(signal)
        return []
      }
      const begun: CheckLease[] = []
      for (const lease of await nextDue(limit)) {
        const known = underWay.get(lease.agentId)
        // Its lease ran out while the database was away: the check that is under way goes on with the new one.
        underWay.set(lease.agentId, known === undefined ? lease : { ...known, fence: lease.fence })
        if (known === undefined) begun.push(lease)
      }
      for (const lease of begun) onStart?.(lease)
      return begun
    },
    async work(lease, { signal, leave }) {
      try {
        const result = await checkLease(parts, lease, signal, () => {
          leave()
          return takeTurn(parts, secondTurns, signal)
        })
        leave()
        await finish({ lease: newestOf(lease), result }, signal)
      } finally {
        underWay.delete(lease.agentId)
      }
    },
    lease: {
      ms: CHECK_LEASE_MS,
      renew: leases => renewChecks(database, leases.map(newestOf), dueAtMs?.()),
      onFailure: error => log.error('cannot renew leases of checks', { error: describeError(error) }),
    },
    onFailure: (error, lease) =>
      lease === undefined
        ? log.error('cannot lease due checks', { error: describeError(error) })
        : log.error('check not finished', { agent: lease.agentId, error: describeError(error) }),
  })
}

/** Leases what is due, each time from where the last time ended, now and then from the beginning. */
function leaseOnwards(
  { clock, database }: PlatformParts,
  { dueAtMs }: CheckOptions,
): (atMost: number) => Promise<readonly CheckLease[]> {
  let dueFromMs: number | undefined
  let sweptMs = clock.nowMs()
  return async atMost => {
    const sinceMs = clock.nowMs() - sweptMs
    if (sinceMs < 0 || sinceMs >= SWEEP_EVERY_MS) {
      dueFromMs = undefined
      sweptMs = clock.nowMs()
    }
    const leases = await leaseChecks(database, atMost, { atMs: dueAtMs?.(), dueFromMs })
    if (leases.length > 0) dueFromMs = Math.max(...leases.map(lease => lease.dueMs)) - OVERLAP_MS
    return leases
  }
}

async function checkLease(
  { outbound, log }: PlatformParts,
  { agentId, endpoint, name }: CheckLease,
  signal: AbortSignal,
  takeSecondTurn: () => Promise<(() => void) | undefined>,
): Promise<CheckResult | undefined> {
  if (endpoint === undefined) return { ok: false, reason: 'refused-address' }
  try {
    return await checkAgent(outbound, { endpoint, name }, takeSecondTurn, signal)
  } catch (error) {
    log.error('check broke', { agent: agentId, error: describeError(error) })
    return undefined
  }
}

async function takeTurn(
  { clock, log }: PlatformParts,
  turns: Slots,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  const deadline = startDeadline(clock, TIMEOUT_MS, [signal])
  try {
    return await turns.take('second attempts', deadline.signal)
  } catch {
    if (!signal.aborted) log.warn('too many slow agents: a check waits for its second attempt in vain')
    return undefined
  } finally {
    deadline.stop()
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
