import type { JsonObject } from '@farebox/protocol/fields/field'

/** The outcome of a step in a dry run or a real run. */
export interface ShownStep {
  readonly state: 'done' | 'skipped' | 'failed' | 'waiting'
  /** Why the step is not done; undefined when it is done or there is nothing to say. */
  readonly reason: string | undefined
  readonly inputs: JsonObject | undefined
  readonly outputs: JsonObject | undefined
}

/** Values to be shown at the ports of a flow. */
export interface ShownValues {
  /** A sentence that says where the values come from. */
  readonly title: string
  readonly kind: 'dry-run' | 'run'
  /** The page of the run; undefined for a dry run. */
  readonly url: string | undefined
  readonly steps: ReadonlyMap<string, ShownStep>
}
