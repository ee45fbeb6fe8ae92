import { FLOW_INPUT } from '../document/flow.ts'
import type { Graph } from './graph.ts'

/**
 * Steps that can feed a step: the flow's input, and the steps that do not depend on it, nearest first. Steps before it in
 * the order come first; a newly added step has most of the others after it.
 *
 * @param most the most steps on either side, nearest first
 */
export function stepsBefore(graph: Graph, id: string, most = Number.POSITIVE_INFINITY): readonly string[] {
  const behind = stepsBehind(graph, id)
  const place = graph.order.indexOf(id)
  const before = place === -1 ? graph.order : graph.order.slice(Math.max(0, place - most), place)
  const after = place === -1 ? [] : graph.order.slice(place + 1, place + 1 + most)
  return [FLOW_INPUT, ...[...before.toReversed(), ...after].filter(step => !behind.has(step))]
}

/** A step and all steps that depend on it, directly or through others. */
export function stepsBehind(graph: Graph, id: string): ReadonlySet<string> {
  const found = new Set([id])
  for (const step of found) for (const target of graph.targetsOf(step)) found.add(target)
  return found
}
