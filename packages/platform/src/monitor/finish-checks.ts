import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { sleep } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { countCheck } from '../agents/availability.ts'
import { changeAvailability, changesHowSeen, type ChangingCheck } from './change-availability.ts'
import type { CheckResult } from './ask/check-agent.ts'
import type { CheckLease } from './lease-checks.ts'
import { nextCheckMs } from './next-check.ts'
import { refreshSoon } from '../agents/inspect-soon.ts'
import { forgiveFailures, hastenBadges } from './after-checks.ts'
import type { OwnOutageWatch } from './watch-own-outage.ts'
import { writeChecks, type CheckVerdict } from './write-checks.ts'

/** A check that has finished. */
export interface CheckEnded {
  readonly lease: CheckLease
  /** Undefined when the check gave no result for reasons that are not the agent's. */
  readonly result: CheckResult | undefined
}

/** What {@link finishChecks} needs besides the platform parts. */
export interface FinishMeans {
  readonly outage: OwnOutageWatch
  /** Returns a random number in [0, 1). */
  readonly chance: () => number
}

/** Finished checks are collected for this time and written together. */
const COLLECT_MS = 25
const GROUP = 500

/**
 * Returns a function that writes finished checks in groups, one group after the other. Its promise resolves once the
 * group of that check is written. When the write fails, the error is logged; the leases expire and a worker repeats the
 * checks.
 */
export function finishInGroups(
  parts: PlatformParts,
  means: FinishMeans,
): (ended: CheckEnded, signal: AbortSignal) => Promise<void> {
  let group: CheckEnded[] = []
  let written = Promise.resolve()
  const write = async (before: Promise<void>, ended: CheckEnded[], signal: AbortSignal): Promise<void> => {
    await before
    await sleep(parts.clock, COLLECT_MS, signal)
    if (group === ended) group = []
    await finishChecks(parts, { ...means, signal }, ended).catch((error: unknown) => {
      parts.log.error('cannot write checks', { error: describeError(error) })
    })
  }
  return (ended, signal) => {
    if (group.length === GROUP) group = []
    group.push(ended)
    if (group.length === 1) written = write(written, group, signal)
    return written
  }
}

/** A check without a result is repeated after this time. */
const AGAIN_MS = 60_000

/** The number of agents whose availability is changed in one transaction. */
const TOGETHER = 50

/**
 * Judges and writes a group of checks. Rejects when the database fails; another worker then repeats these checks.
 * `signal` aborts when the process ends: failures found after that are not counted.
 */
export async function finishChecks(
  parts: PlatformParts,
  { outage, chance, signal }: FinishMeans & { readonly signal: AbortSignal },
  ended: readonly CheckEnded[],
): Promise<void> {
  if (!signal.aborted) await judgeOutage(parts, { outage, signal }, ended)
  const failuresCount = !outage.isOurs() && !signal.aborted
  const { checkIntervalMs } = parts.settings
  const changes = ended.map(one => decide(one, { failuresCount, checkIntervalMs, chance: chance() }))
  const changing = changes.filter(change => change.transition !== undefined || changesHowSeen(change.verdict))
  const rest = changes.filter(change => !changing.includes(change)).map(change => change.verdict)
  await writeChecks(parts.database, rest)
  await hastenBadges(parts.database, changes.filter(isFirstPass).map(agentIdOf))
  await refreshSoon(parts.database, changes.filter(isNewlyMisnamed).map(agentIdOf))
  for (let place = 0; place < changing.length; place += TOGETHER) {
    await changeTogether(parts, changing.slice(place, place + TOGETHER))
  }
}

/**
 * Writes all changes in one transaction. When that fails, each is written separately, so that one agent's error does
 * not affect the others.
 */
async function changeTogether(parts: PlatformParts, changes: readonly ChangingCheck[]): Promise<void> {
  try {
    await changeAvailability(parts, changes)
  } catch (error) {
    const agent = changes.map(agentIdOf).join(' ')
    parts.log.error('cannot write checks', { agent, error: describeError(error) })
    if (changes.length > 1) for (const change of changes) await changeTogether(parts, [change])
  }
}

/** Checks of the current group are excluded from the failures taken back, because they are not written yet. */
async function judgeOutage(
  { clock, database }: PlatformParts,
  { outage, signal }: Pick<FinishMeans, 'outage'> & { readonly signal: AbortSignal },
  ended: readonly CheckEnded[],
): Promise<void> {
  for (const one of ended) observe(outage, clock.nowMs(), one)
  const ours = await outage.judge(signal)
  const unwritten = new Set(ended.map(one => one.lease.agentId))
  await forgiveFailures(
    database,
    ours.map(vote => vote.agentId).filter(agentId => !unwritten.has(agentId)),
  )
}

function observe(outage: OwnOutageWatch, nowMs: number, { lease, result }: CheckEnded): void {
  // Checks between two planned ones do not count towards uptime, so they need not be forgiven either.
  if (result === undefined || lease.plannedMs !== undefined) return
  if (lease.failures > 0 || lease.endpoint === undefined) return
  if (!canParseUrl(lease.endpoint)) return
  outage.observe({
    agentId: lease.agentId,
    agent: { endpoint: lease.endpoint, calledFor: lease.calledFor, name: lease.name },
    host: new URL(lease.endpoint).hostname,
    atMs: nowMs,
    passed: result.ok,
  })
}

function decide(
  { lease, result }: CheckEnded,
  options: { readonly failuresCount: boolean; readonly checkIntervalMs: number; readonly chance: number },
): ChangingCheck {
  const { failuresCount, checkIntervalMs, chance } = options
  const dueMs = lease.plannedMs ?? nextCheckMs(lease.agentId, lease.takenAtMs, checkIntervalMs, chance)
  if (result === undefined || (!result.ok && !failuresCount)) {
    const againMs = lease.takenAtMs + Math.min(AGAIN_MS, checkIntervalMs)
    const outcome = { kind: 'uncounted' } as const
    const verdict = {
      lease,
      failures: lease.failures,
      dueMs: lease.plannedMs ?? Math.min(dueMs, againMs),
      outcome,
    }
    return { verdict, transition: undefined }
  }
  const counted = countCheck(lease.failures, result.ok)
  // Checks that orders trigger can mark an agent as warned. Only planned checks can hide it, which takes the better
  // part of an hour.
  const wouldHide = lease.plannedMs !== undefined && counted.transition === 'offline'
  const { failures, transition } = wouldHide ? { failures: lease.failures, transition: undefined } : counted
  const outcome = result.ok
    ? ({ kind: 'passed', latencyMs: result.latencyMs } as const)
    : ({ kind: 'failed', reason: result.reason } as const)
  return { verdict: { lease, failures, dueMs, outcome }, transition }
}

function isFirstPass({ verdict }: ChangingCheck): boolean {
  return verdict.outcome.kind === 'passed' && !verdict.lease.hasPassed
}

/**
 * A new name usually comes with a restart, so the agent's new declaration is inspected before the name counts as
 * another agent's.
 */
function isNewlyMisnamed({ verdict }: ChangingCheck): boolean {
  const { outcome, failures } = verdict
  return outcome.kind === 'failed' && outcome.reason === 'wrong-name' && failures === 1
}

function agentIdOf(change: { readonly verdict: CheckVerdict }): number {
  return change.verdict.lease.agentId
}
