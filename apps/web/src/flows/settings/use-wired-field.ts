import type { PortRef } from '@farebox/flows/document/flow'
import type { Field } from '@farebox/protocol/fields/field'
import { findOutput } from '@farebox/flows/internal/graph/find-port'
import { useFlowView } from '../editor/use-editor.ts'

/** The type of the output that is wired to an input; undefined when there is no wire, or when the type is unknown. */
export function useWiredField(to: PortRef): Field | undefined {
  return useFlowView(({ graph }) => {
    const wire = graph.wireTo(to)
    const type = wire && findOutput(graph, wire.from)?.type
    return type === 'any' ? undefined : type
  })
}
