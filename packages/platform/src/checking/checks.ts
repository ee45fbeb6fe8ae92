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

/** A declaration as an agent serves it, or why it is none. */
export type CheckedAbout =
  | { readonly ok: true; readonly declaration: Declaration }
  | { readonly ok: false; readonly reason: string }

/** Everything that untrusted hosts can make costly, each a function of what it is given; run in worker threads. */
export type Checks = ReturnType<typeof createChecks>

/** The checks of one thread, which keeps what it compiled. */
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
    /** Of an input: the first thing wrong with it. */
    input({ fields, input }: { readonly fields: string; readonly input: JsonObject }): Violation | undefined {
      const checked = inputs.get(fields)(input)
      return checked.ok ? undefined : checked.violation
    },
    /** Of an output: the first thing wrong with it. */
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
    /** A run of a flow that was checked, begun. */
    'begin-run': (start: RunStart): RunBegun => beginRun(graphs, start),
    /** A run after what has happened. */
    'advance-run': (given: {
      readonly stored: StoredRun
      readonly events: readonly GivenEvent[]
      readonly now: number
    }): RunAdvanced => advanceRun(graphs, given),
    /** What is shown of a run. */
    'describe-run': (stored: StoredRun): DescribedRun => {
      const graph = graphs.get(stored.flow)
      return describeRun(graph, readRun(graph, stored))
    },
    /** An input that a schema takes. */
    sample: (fields: FieldMap): SampleResult => sample(fields),
  }
}
