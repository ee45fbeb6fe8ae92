import type { JsonObject } from '@farebox/protocol/fields/field'

/** The outcome of a step, in a dry run or a real one. */
export interface ShownStep {
  readonly state: 'done' | 'skipped' | 'failed' | 'waiting'
  /** Why it is not done; undefined: it is, or there is nothing to say. */
  readonly reason: string | undefined
  readonly inputs: JsonObject | undefined
  readonly outputs: JsonObject | undefined
}

/** Values to be shown at the ports of a flow. */
export interface ShownValues {
  /** A sentence about where they come from. */
  readonly title: string
  readonly kind: 'dry-run' | 'run'
  /** The page of the run. */
  readonly url: string | undefined
  readonly steps: ReadonlyMap<string, ShownStep>
}
