import type { BatteryFlags, BatteryProgress, BatteryResult, BatterySize } from '../battery.ts'

/** What the process of a battery is asked for. */
export interface BatteryOrder {
  readonly name: string
  readonly size: BatterySize
  readonly seed: number
  readonly flags: BatteryFlags
}

/** What it answers: progress as often as it likes, and at the end one of the others. */
export type BatteryMessage =
  | { readonly kind: 'progress'; readonly progress: BatteryProgress }
  | { readonly kind: 'result'; readonly result: BatteryResult }
  | { readonly kind: 'failed'; readonly message: string }
