import type { PlatformParts } from '../platform-parts.ts'
import { checkOnce } from './ask/check-agent.ts'
import { createOwnOutageJudge, type Suspicion, type Vote } from './own-outage-judge.ts'

/** Whether an outage is our own, as this process sees it (decision 20). */
export interface OwnOutageWatch {
  /** While this is so, failures do not count and nobody new is checked. */
  isOurs(): boolean
  observe(vote: Vote): void
  /**
   * Asks a control group where too many fail together. Resolves to the failures that were ours after all, where an outage
   * of ours begins, and else to none.
   */
  judge(signal: AbortSignal): Promise<readonly Vote[]>
  /** Asks the control group again, and ends the outage where it answers. */
  askAgain(signal: AbortSignal): Promise<void>
}

/** How many hosts are asked whether we reach them. */
const CONTROL_GROUP = 5

/** Chosen among the newest of this many. */
const CONTROL_POOL = 50

/** Found not to be ours, it is left alone for so long: what failed then goes on failing for reasons of its own. */
const ACQUITTED_MS = 15_000

/** Makes the watch of one process. */
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
        log.warn('many agents fail together, others answer', hosts)
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
      log.warn('agents answer again: failures count')
    },
  }
}

/** Whether most of some hosts answer that answered a moment ago; where too few did, some that were fine before. */
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
