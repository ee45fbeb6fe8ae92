import type { BatterySize, Score } from '../battery.ts'
import type { Random } from '../simulator/seeded-random.ts'
import { audit, type Audit } from './audit/audit.ts'
import type { Payer, Stage, StageAgent } from './stage/stage.ts'

/** How much of each storm there is. */
export type StormSize = (typeof STORM_SIZES)[BatterySize]

/**
 * `duplicates`: requests for one job. `replays`: jobs that one payment is sent for, and `replayRounds`, how often. `strikes`:
 * processes that are struck. `callers` keep the load up; `pauseMs` is their rest between two orders, at most.
 */
export const STORM_SIZES = {
  full: {
    agents: 4,
    duplicates: 10_000,
    replays: 1_000,
    replayRounds: 20,
    strikes: { kill: 500, freeze: 60, stop: 100 },
    callers: 40,
    pauseMs: 2_000,
  },
  small: {
    agents: 2,
    duplicates: 600,
    replays: 100,
    replayRounds: 2,
    strikes: { kill: 8, freeze: 2, stop: 3 },
    callers: 16,
    pauseMs: 500,
  },
}

/** What a storm is played on. */
export interface Scene {
  readonly stage: Stage
  readonly size: StormSize
  /** They have enough for every storm. */
  readonly payers: readonly Payer[]
  /** Agents that share their jobs. */
  readonly replicas: readonly StageAgent[]
  /** Agents that do not; nothing strikes them. */
  readonly loners: readonly StageAgent[]
}

/** One round of a storm. */
export interface Round {
  /** Its own, so that it can be played again alone. */
  readonly seed: number
  /** Of this seed. */
  readonly random: Random
  /** Rounds before it. */
  readonly index: number
  tell(done: number, of: number): void
}

/** Something that is done to a stage, in rounds that are judged one by one. */
export interface Storm {
  /** As `--only` takes it. */
  readonly name: string
  describe(size: StormSize): string
  rounds(size: StormSize): number
  /** Resolves to what was wrong beside what the audit finds. */
  play(scene: Scene, round: Round): Promise<readonly string[]>
}

/** Plays, waits until all is settled, and judges what was ordered meanwhile. */
export async function playAndAudit<Played>(
  stage: Stage,
  play: () => Promise<Played>,
): Promise<{ readonly played: Played; readonly judged: Audit }> {
  const { orders } = stage.eventLog
  const before = new Set(orders.keys())
  const played = await play()
  const placed = [...orders.values()].filter(({ jobId }) => !before.has(jobId))
  return { played, judged: await audit(stage, placed) }
}

/** What audits looked at and found, for the scorecard. */
export function scoreAudits(test: string, audits: readonly Audit[], findings: readonly string[]): Score {
  const sum = (name: keyof Audit['counts']): string =>
    grouped(audits.reduce((total, { counts }) => total + counts[name], 0))
  return {
    test,
    reached: `${sum('orders')} orders: ${sum('delivered')} jobs delivered, ${sum('payments')} payments moved, ${sum('failures')} failures told, ${sum('runs')} handler runs; ${findings.length} wrong`,
    target:
      '0 wrong: money moved = jobs delivered, each fetched again; ledger = chain; failures are true; no run twice for no reason; no request dropped',
    isMet: findings.length === 0,
  }
}

/** 10000 as `10,000`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
