import type { BatteryResult, BatterySize } from '../battery.ts'

/** A run that is over. */
export interface BatteryRecord extends BatteryResult {
  readonly name: string
  readonly does: string
  readonly size: BatterySize
  readonly seed: number
  /** The day it ran: `2026-11-21`, UTC. */
  readonly day: string
  readonly tookSeconds: number
  /** `AMD EPYC, 2 cores, Node 20.20.2`. */
  readonly machine: string
}

/** Whether every line was reached and nothing was found. */
export function isPassed({ scores, findings }: BatteryResult): boolean {
  return scores.length > 0 && findings.length === 0 && scores.every(score => score.isMet)
}
