import type { PlatformParts } from '../platform-parts.ts'
import { checkOnce } from './ask/check-agent.ts'
import { createOwnOutageJudge, type Suspicion, type Vote } from './own-outage-judge.ts'

/** Detects whether the platform's own network is down, as seen by this process (decision 20). */
export interface OwnOutageWatch {
  /** While this is true, failures do not count and no further agents are checked. */
  isOurs(): boolean
  observe(vote: Vote): void
  /**
   * Asks a control group when too many checks fail together. When that shows an outage of the platform's own network,
   * resolves to the failures it caused; otherwise to an empty array.
   */
  judge(signal: AbortSignal): Promise<readonly Vote[]>
  /** Asks the control group again, and ends the outage when most of its hosts respond. */
  askAgain(signal: AbortSignal): Promise<void>
}

/** The number of hosts that are asked whether the platform can reach them. */
const CONTROL_GROUP = 5

/** The control group is chosen from the newest votes, this many at most. */
const CONTROL_POOL = 50

/**
 * After an outage was found not to be the platform's own, no new one is suspected for this time: the same agents keep
 * failing for reasons of their own.
 */
const ACQUITTED_MS = 15_000

/** Creates the watch of one process. */
export function watchOwnOutage(parts: PlatformParts, chance: () => number): OwnOutageWatch {
  const { clock, log, settings } = parts
  const judge = createOwnOutageJudge(Math.max(settings.checkIntervalMs, 60_000))
  let outage: Suspicion | undefined
  let acquittedMs = Number.NEGATIVE_INFINITY

  return {
    isOurs: () => outage !== undefined,
    observe: vote => judge.observe(vote),
    async judge(signal) {
      const suspicion = judge.suspicion()
      const sinceMs = clock.nowMs() - acquittedMs
      if (outage !== undefined || suspicion === undefined || (sinceMs >= 0 && sinceMs < ACQUITTED_MS))
        return []
      const hosts = { failed: suspicion.failed.length, passed: suspicion.passed.length }
      judge.forget()
      if (await answers(parts, suspicion, chance, signal)) {
        acquittedMs = clock.nowMs()
        log.warn('many agents fail together, but the control group responds', hosts)
        return []
      }
      outage = suspicion
      log.error('many agents fail together and others do not answer: failures do not count', hosts)
      return suspicion.failed
    },
    async askAgain(signal) {
      if (outage === undefined || !(await answers(parts, outage, chance, signal))) return
      outage = undefined
      judge.forget()
      log.warn('agents respond again: failures count again')
    },
  }
}

/**
 * Whether most of the control group responds. The group consists of hosts that passed a moment ago; when there are too
 * few, it is filled with hosts that passed before they failed.
 */
async function answers(
  { outbound }: PlatformParts,
  suspicion: Suspicion,
  chance: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  const passed = pick(suspicion.passed, CONTROL_GROUP, chance)
  const group = [...passed, ...pick(suspicion.failed, CONTROL_GROUP - passed.length, chance)]
  const results = await Promise.all(group.map(vote => checkOnce(outbound, vote.agent, signal)))
  return results.filter(result => result.ok).length * 2 > group.length
}

function pick(votes: readonly Vote[], count: number, chance: () => number): readonly Vote[] {
  const pool = votes.slice(-CONTROL_POOL)
  const picked: Vote[] = []
  while (picked.length < count && pool.length > 0) {
    picked.push(...pool.splice(Math.floor(chance() * pool.length), 1))
  }
  return picked
}
