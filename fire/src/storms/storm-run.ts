import type { BatteryRun, BatterySize, Score } from '../battery.ts'
import type { ManagedKind } from './stage/managed-process.ts'
import { openStage, type Stage, type StageOptions } from './stage/stage.ts'
import { PUBLIC_URL } from './load/sign-order.ts'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'

/** A stage with replicas on one Redis and payers that have enough for every storm. */
export interface StormStage extends Stage {
  readonly payers: readonly PaymentSigner[]
}

/** How much of each storm there is. */
export interface StormSize {
  readonly agents: number
  /** Requests for one job. */
  readonly duplicates: number
  /** Jobs that one payment is sent for, and how often that is done. */
  readonly replays: number
  readonly replayRounds: number
  readonly kills: number
  readonly freezes: number
  readonly stops: number
  /** Kinds of processes that are killed. */
  readonly victims: readonly ManagedKind[]
  /** Between two kills, on average. */
  readonly killEveryMs: number
  /** Callers that keep the load up. */
  readonly callers: number
  /** A caller's rest between two orders, at most. */
  readonly pauseMs: number
}

const ALL_KINDS: readonly ManagedKind[] = ['agent', 'facilitator', 'postgres', 'redis']

export const STORM_SIZES: { readonly [size in BatterySize]: StormSize } = {
  full: {
    agents: 4,
    duplicates: 10_000,
    replays: 1_000,
    replayRounds: 20,
    kills: 500,
    freezes: 60,
    stops: 100,
    victims: ALL_KINDS,
    killEveryMs: 900,
    callers: 40,
    pauseMs: 2_000,
  },
  small: {
    agents: 2,
    duplicates: 600,
    replays: 100,
    replayRounds: 2,
    kills: 8,
    freezes: 2,
    stops: 3,
    victims: ALL_KINDS,
    killEveryMs: 500,
    callers: 16,
    pauseMs: 500,
  },
}

/** One storm on a stage. */
export interface StormRun extends Pick<BatteryRun, 'seed' | 'signal' | 'progress'> {
  readonly stage: StormStage
  readonly size: StormSize
  /** The command that plays a storm again, with these flags. */
  replay(flags: string): string
}

/** What came of it. */
export interface StormResult {
  readonly scores: readonly Score[]
  readonly findings: readonly string[]
}

const FACILITATORS = 2
const PAYERS = 8
const PAYER_ATOMIC = 10_000_000_000n

/** Starts two facilitators and so many agents. */
export async function openStormStage(agents: number, options: StageOptions): Promise<StormStage> {
  const stage = await openStage(options)
  try {
    for (let count = 0; count < FACILITATORS; count += 1) await stage.addFacilitator()
    for (let count = 0; count < agents; count += 1)
      await stage.addAgent({ environment: { SERVICE_PUBLIC_URL: PUBLIC_URL } })
    const payers = await Promise.all(Array.from({ length: PAYERS }, () => stage.fundPayer(PAYER_ATOMIC)))
    return { ...stage, payers }
  } catch (error) {
    await stage.end()
    throw error
  }
}

/** 10000 as `10,000`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
