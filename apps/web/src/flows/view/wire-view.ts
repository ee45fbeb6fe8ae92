import type { GradedWire } from '@farebox/flows/internal/check/check-wires'
import type { PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { findInput, findOutput } from '@farebox/flows/internal/graph/find-port'
import { keyOfInput } from './key-of-input.ts'
import type { ShownType, WireView } from './views.ts'

/** All wires in the order of the document; unchanged wires are the same objects as before. */
export function viewWires(
  graph: Graph,
  graded: readonly GradedWire[],
  before: readonly WireView[],
): readonly WireView[] {
  const known = new Map(before.map(wire => [wire.id, wire]))
  const counts = new Map<string, number>()
  const wires = graded.map(({ wire: { from, to }, grade, reason }) => {
    const key = keyOfInput(to)
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const type = findOutput(graph, from)?.type ?? 'any'
    const shown = type === 'any' ? 'any' : type.type
    const view: WireView = {
      id: count === 1 ? key : `${key} ${count}`,
      from,
      to,
      grade,
      reason,
      type: shown,
      tag: tagOf(graph, to, grade, shown),
    }
    const old = known.get(view.id)
    return old !== undefined && isSame(old, view) ? old : view
  })
  return wires.length === before.length && wires.every((wire, index) => wire === before[index])
    ? before
    : wires
}

function tagOf(graph: Graph, to: PortRef, grade: WireView['grade'], type: ShownType): string {
  switch (grade) {
    case 'same':
      return ''
    case 'safe': {
      const input = findInput(graph, to)?.type
      return input !== undefined && input !== 'any' && input.type === 'string' && type !== 'string'
        ? 'as text'
        : 'converted'
    }
    case 'lossy':
      return 'may be rejected'
    case 'impossible':
      return 'not compatible'
    case 'broken':
      return 'gone'
  }
}

function isSame(one: WireView, other: WireView): boolean {
  return (
    one.from.step === other.from.step &&
    one.from.port === other.from.port &&
    one.grade === other.grade &&
    one.reason === other.reason &&
    one.type === other.type &&
    one.tag === other.tag
  )
}
