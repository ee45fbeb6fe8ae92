import type { CheckedAgent } from './ask/check-agent.ts'

/** What a check of an agent that was fine before it says about our own way to the outside. */
export interface Vote {
  readonly agentId: number
  readonly agent: CheckedAgent
  /** Agents of one host are one voice. */
  readonly host: string
  readonly atMs: number
  readonly passed: boolean
}

/** More than the tolerated share of hosts that were fine failed together; the newest last. */
export interface Suspicion {
  readonly failed: readonly Vote[]
  readonly passed: readonly Vote[]
}

/** Remembers what the newest checks found, and says when so many fail together that the fault may be ours (HLT-03). */
export interface OwnOutageJudge {
  observe(vote: Vote): void
  /** Undefined while nothing is suspicious. */
  suspicion(): Suspicion | undefined
  /** Forgets all that was seen. */
  forget(): void
}

/** Fewer hosts than this prove nothing about us. */
export const MIN_HOSTS = 20

/** A larger share than this, of hosts that were fine, does not fail together by chance. */
const TOLERATED_SHARE = 0.3

/** Checks lie together within this time; where they are few, it is the newest of as many hosts as it takes to judge. */
const TOGETHER_MS = 15_000

/**
 * Makes a judge of one process's checks: a broken way to the outside is a matter of the machine.
 *
 * @param maxAgeMs - what is older than this says nothing of now, however few there are
 */
export function createOwnOutageJudge(maxAgeMs: number): OwnOutageJudge {
  // By host, the newest last.
  const votes = new Map<string, Vote>()
  let failed = 0

  const drop = (host: string): void => {
    if (votes.get(host)?.passed === false) failed -= 1
    votes.delete(host)
  }
  const dropOld = (nowMs: number): void => {
    for (const [host, vote] of votes) {
      const ageMs = nowMs - vote.atMs
      if (ageMs <= TOGETHER_MS || (ageMs <= maxAgeMs && votes.size <= MIN_HOSTS)) return
      drop(host)
    }
  }
  return {
    observe(vote) {
      drop(vote.host)
      votes.set(vote.host, vote)
      if (!vote.passed) failed += 1
      dropOld(vote.atMs)
    },
    suspicion() {
      if (votes.size < MIN_HOSTS || failed <= votes.size * TOLERATED_SHARE) return undefined
      const all = [...votes.values()]
      return { failed: all.filter(vote => !vote.passed), passed: all.filter(vote => vote.passed) }
    },
    forget() {
      votes.clear()
      failed = 0
    },
  }
}
