import { FLOW_INPUT, FLOW_OUTPUT, type Flow } from '@farebox/flows/document/flow'
import { checkFlow, type FlowCheck } from '@farebox/flows/check/check-flow'
import { buildGraph, type Graph } from '@farebox/flows/graph/graph'
import { withCurrent, type Catalog } from '@farebox/flows/internal/check/catalog'
import { keepStepOrder } from './keep-step-order.ts'
import { keyOfInput } from './key-of-input.ts'
import { viewNode } from './node-view.ts'
import type { NodeView, WireView } from './views.ts'
import { viewWires } from './wire-view.ts'

/** A flow for display: the result of its check, and every step and wire in words. */
export interface FlowView {
  readonly check: FlowCheck
  /** The graph with the current capabilities of the agents. */
  readonly graph: Graph
  /** `input`, then the steps in the order in which they run, then `output`. */
  readonly order: readonly string[]
  readonly nodes: ReadonlyMap<string, NodeView>
  readonly wires: readonly WireView[]
  /** The findings at each step, in the order of the check. */
  readonly findings: ReadonlyMap<string, FlowCheck['findings']>
}

/** The external state that a flow is checked against. */
export interface Surroundings {
  readonly catalog: Catalog
  /** Decimal USDC; undefined when it is not known. */
  readonly balance: string | undefined
}

/**
 * Checks a flow and describes its parts in words. Parts that have not changed since the previous view are the same objects,
 * so that React renders only the changed ones again.
 */
export function viewFlow(flow: Flow, surroundings: Surroundings, before?: FlowView): FlowView {
  const { catalog, balance } = surroundings
  const graph = buildGraph(withCurrent(flow, catalog))
  const checked = checkFlow(flow, { catalog, ...(balance !== undefined && { balance }) })
  const check = { ...checked, findings: keepSame(checked.findings, before?.check.findings ?? []) }
  const wires = viewWires(graph, check.wires, before?.wires ?? [])
  const ordered = keepStepOrder(graph, before === undefined ? [] : before.order.slice(1, -1))
  const order = keepSame([FLOW_INPUT, ...ordered, ...graph.circular, FLOW_OUTPUT], before?.order ?? [])
  const findings = new Map(
    [...groupBy(check.findings, ({ step }) => step)].map(([id, found]) => [
      id,
      keepSame(found, before?.findings.get(id) ?? []),
    ]),
  )
  const sources = {
    flow,
    graph,
    findings,
    wires: new Map(wires.toReversed().map(wire => [keyOfInput(wire.to), wire])),
    leaving: groupBy(wires, ({ from }) => from.step),
  }
  const nodes = new Map(
    order.map(id => {
      const node = viewNode(sources, id)
      const old = before?.nodes.get(id)
      return [id, old !== undefined && isSame(old, node) ? old : node]
    }),
  )
  return { check, graph, order, nodes, wires, findings }
}

function isSame(one: NodeView, other: NodeView): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/**
 * Replaces each item that equals an item of `before` by that object, and returns `before` itself if nothing has changed, so
 * that React renders only the changed items again.
 */
function keepSame<T>(items: readonly T[], before: readonly T[]): readonly T[] {
  const known = new Map(before.map(item => [JSON.stringify(item), item]))
  const kept = items.map(item => known.get(JSON.stringify(item)) ?? item)
  return kept.length === before.length && kept.every((item, index) => item === before[index]) ? before : kept
}
