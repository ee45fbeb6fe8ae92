import type { CheckedAgent } from './ask/check-agent.ts'

/**
 * The result of a check of an agent that passed its previous check, used to detect an outage of the platform's own
 * network.
 */
export interface Vote {
  readonly agentId: number
  readonly agent: CheckedAgent
  /** All agents of one host count as one vote. */
  readonly host: string
  readonly atMs: number
  readonly passed: boolean
}

/**
 * More than the tolerated share of hosts that passed before have failed together. Both lists have the newest vote last.
 */
export interface Suspicion {
  readonly failed: readonly Vote[]
  readonly passed: readonly Vote[]
}

/**
 * Remembers the newest check results and reports when so many fail together that the platform's own network may be the
 * cause (HLT-03).
 */
export interface OwnOutageJudge {
  observe(vote: Vote): void
  /** Undefined while the failures do not suggest an outage of the platform's own network. */
  suspicion(): Suspicion | undefined
  /** Removes all observed votes. */
  forget(): void
}

/** With fewer hosts than this, no conclusion about the platform's own network is possible. */
export const MIN_HOSTS = 20

/** If a larger share of hosts that passed before fails, this is not a coincidence. */
const TOLERATED_SHARE = 0.3

/**
 * Votes count together when they are within this time. When votes are rare, the newest votes of {@link MIN_HOSTS} hosts
 * count.
 */
const TOGETHER_MS = 15_000

/**
 * Creates the judge for the checks of one process, because a broken network concerns one machine.
 *
 * @param maxAgeMs - votes older than this are dropped, however few remain
 */
export function createOwnOutageJudge(maxAgeMs: number): OwnOutageJudge {
  // Keyed by host, the newest vote last.
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
