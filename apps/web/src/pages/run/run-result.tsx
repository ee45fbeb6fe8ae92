import { FLOW_OUTPUT } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { Field, FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { nameStop } from '../../flows/describe/name-stop.ts'
import { OutputFields } from '../../job-view/output-view.tsx'

/** The outputs of a completed run, which its payer wants to see first. */
export function RunResult({ graph, run }: { readonly graph: Graph; readonly run: RunAnswer }): ReactNode {
  if (!hasResult(run)) return null
  return (
    <section className="run-result">
      <div className="heading">
        <h2>{run.status === 'completed' ? 'Result' : 'Partial result'}</h2>
      </div>
      <OutputFields
        output={run.output as JsonObject}
        fields={fieldsOf(graph)}
        fileName={`farebox-run-${run.run_id.slice(0, 8)}`}
        isWhole
      />
    </section>
  )
}

/** Whether there are outputs to show and no more are expected. */
export function hasResult({ status, output }: RunAnswer): boolean {
  return (
    (status === 'completed' || status === 'failed' || status === 'cancelled') &&
    Object.keys(output).length > 0
  )
}

/** The types of the flow's outputs, which are the types of their sources. */
function fieldsOf(graph: Graph): FieldMap {
  const fields = graph.flow.outputs.flatMap((port): [string, Field][] => {
    const from = graph.wireTo({ step: FLOW_OUTPUT, port })?.from
    const type =
      from === undefined ? undefined : graph.outputsOf(from.step).find(({ name }) => name === from.port)?.type
    if (from === undefined || type === undefined || type === 'any') return []
    const what = type.description === undefined ? '' : `: ${type.description}`
    return [[port, { ...type, description: `from ${nameStop(graph.flow, from.step)}${what}` }]]
  })
  return Object.fromEntries(fields)
}
