import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { compileInput, compileOutput, type Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { sample, type SampleResult } from '@farebox/protocol/samples/sample'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { advanceRun, beginRun, graphOf, readRun } from './advance-run.ts'
import { createCompiledCache } from './compiled-cache.ts'
import { createFlowChecks } from './flows/flow-checks.ts'
import { readStorableJson } from './read-json.ts'
import { describeRun, type DescribedRun } from './describe-run.ts'
import type { RunAdvanced, RunBegun, RunStart, StoredRun, GivenEvent } from './run-messages.ts'

/** A valid declaration as the agent serves it, or the reason why it is not valid. */
export type CheckedAbout =
  | { readonly ok: true; readonly declaration: Declaration }
  | { readonly ok: false; readonly reason: string }

/** All computations that untrusted hosts can make slow, as pure functions of their argument; run in worker threads. */
export type Checks = ReturnType<typeof createChecks>

/** Creates the checks of one thread, with its own caches of compiled schemas. */
export function createChecks(clock: Pick<Clock, 'nowMs'> = systemClock) {
  const inputs = createCompiledCache(compileInput)
  const outputs = createCompiledCache(compileOutput)
  const graphs = createCompiledCache(graphOf)
  return {
    about(text: string): CheckedAbout {
      const json = readStorableJson(text)
      if (!json.ok) return json
      const checked = checkDeclaration(json.value)
      return checked.ok ? checked : { ok: false, reason: 'is not a valid declaration' }
    },
    /** The first violation of an input; `undefined` when it is valid. */
    input({ fields, input }: { readonly fields: string; readonly input: JsonObject }): Violation | undefined {
      const checked = inputs.get(fields)(input)
      return checked.ok ? undefined : checked.violation
    },
    /** The first violation of an output; `undefined` when it is valid. */
    output({
      fields,
      output,
    }: {
      readonly fields: string
      readonly output: JsonObject
    }): Violation | undefined {
      const checked = outputs.get(fields)(output)
      return checked.ok ? undefined : checked.violation
    },
    ...createFlowChecks(clock),
    /** Starts a run of a checked flow. */
    'begin-run': (start: RunStart): RunBegun => beginRun(graphs, start),
    /** Applies events to a run. */
    'advance-run': (given: {
      readonly stored: StoredRun
      readonly events: readonly GivenEvent[]
      readonly now: number
    }): RunAdvanced => advanceRun(graphs, given),
    /** Describes a run for display. */
    'describe-run': (stored: StoredRun): DescribedRun => {
      const graph = graphs.get(stored.flow)
      return describeRun(graph, readRun(graph, stored))
    },
    /** Generates an input that matches a schema. */
    sample: (fields: FieldMap): SampleResult => sample(fields),
  }
}
