import type { Graph } from '@farebox/flows/graph/graph'

/**
 * A valid order of the steps that is as close as possible to the previous one, so that an edit moves only the steps that it
 * has to move. Moving nodes is as slow for a browser as drawing them.
 *
 * @param before the previous order; empty when there is none
 */
export function keepStepOrder(graph: Graph, before: readonly string[]): readonly string[] {
  const { order, targetsOf } = graph
  if (before.length === 0) return order
  const wanted = placeNew(order, before)
  const ranks = new Map(wanted.map((id, rank) => [id, rank]))
  const waitsFor = new Map(order.map(id => [id, graph.sourcesOf(id).length]))
  const ready = new Set(order.filter(id => waitsFor.get(id) === 0))
  const sorted: string[] = []
  while (ready.size > 0) {
    const [first = ''] = ready
    let next = first
    for (const id of ready) if ((ranks.get(id) ?? 0) < (ranks.get(next) ?? 0)) next = id
    ready.delete(next)
    sorted.push(next)
    for (const target of targetsOf(next)) {
      const left = (waitsFor.get(target) ?? 0) - 1
      waitsFor.set(target, left)
      if (left === 0) ready.add(target)
    }
  }
  return sorted
}

/** The previous order without removed steps; each new step follows its predecessor in the order of the graph. */
function placeNew(order: readonly string[], before: readonly string[]): readonly string[] {
  const there = new Set(order)
  const known = new Set(before)
  const placed = before.filter(id => there.has(id))
  for (const [index, id] of order.entries())
    if (!known.has(id)) placed.splice(placed.indexOf(order[index - 1] ?? '') + 1, 0, id)
  return placed
}
