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

/** Options for tests and benchmarks; a platform uses the defaults. */
export interface CheckOptions {
  /** Concurrent first attempts; default 1,000. */
  readonly atOnce?: number
  /** Concurrent second attempts; default 1,000. */
  readonly secondAtOnce?: number
  /** Returns a random number in [0, 1); default `Math.random`. */
  readonly chance?: () => number
  /** Virtual time for the due times; default is the database's clock. */
  readonly dueAtMs?: () => number
  /** Called with the lease of each check that begins. */
  readonly onStart?: (lease: CheckLease) => void
}

const AT_ONCE = 1_000

/** The interval at which the control group is asked again during an outage of the platform's own network. */
const ASK_AGAIN_MS = 15_000

/**
 * The interval at which leasing starts again from the most overdue check: another process may have failed while it held
 * leases.
 */
const SWEEP_EVERY_MS = 30_000

/**
 * Leasing continues this far before the last due time, because other processes may be writing rows that were due
 * slightly earlier.
 */
const OVERLAP_MS = 1_000

/** When few slots are free, the worker waits this long for more, which is cheaper than one statement for each. */
const BREATH_MS = 20

/**
 * How long a second attempt may wait for a slot. After this time the check is not counted, and is repeated a little
 * later.
 */
const TIMEOUT_MS = 20_000

/**
 * Runs the checks that are due, sharing them with all processes on the same database. The number of concurrent first
 * attempts is limited. Second attempts may take six times as long and have slots of their own, so slow agents do not
 * delay the checks of others (HLT-07). On stop, running checks are written or their leases are released.
 */
export function startChecks(parts: PlatformParts, options: CheckOptions = {}): Background {
  const { clock, database, log, settings } = parts
  const { chance = Math.random, atOnce = AT_ONCE, secondAtOnce = AT_ONCE, dueAtMs, onStart } = options
  const outage = watchOwnOutage(parts, chance)
  const secondTurns = createSlots(secondAtOnce)
  const finish = finishInGroups(parts, { outage, chance })
  const nextDue = leaseOnwards(parts, options)
  /** Running checks by agent number, each with its newest fence. */
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
        // The lease expired while the database was unavailable; the running check continues with the new lease.
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
        : log.error('cannot finish a check', { agent: lease.agentId, error: describeError(error) }),
  })
}

/**
 * Returns a function that leases due checks, starting where the previous call ended, and from the beginning every
 * {@link SWEEP_EVERY_MS}.
 */
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
  { agentId, endpoint, calledFor, name }: CheckLease,
  signal: AbortSignal,
  takeSecondTurn: () => Promise<(() => void) | undefined>,
): Promise<CheckResult | undefined> {
  if (endpoint === undefined) return { ok: false, reason: 'refused-address' }
  try {
    return await checkAgent(outbound, { endpoint, calledFor, name }, takeSecondTurn, signal)
  } catch (error) {
    log.error('a check threw an error', { agent: agentId, error: describeError(error) })
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
    if (!signal.aborted) log.warn('too many slow agents: a check timed out waiting for its second attempt')
    return undefined
  } finally {
    deadline.stop()
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
