import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'

/** The map of a flow from its input to its output, with one row for each stop and one lane for each branch. */
export interface RouteMap {
  readonly rows: readonly RouteRow[]
  /** The number of lanes. */
  readonly lanes: number
  /** Whether there are more parallel branches than lanes, so that some share the last lane. */
  readonly isShared: boolean
}

/** A stop, and the lines drawn next to it. */
export interface RouteRow {
  /** Id of the step, or `input` or `output`. */
  readonly id: string
  readonly lane: number
  readonly pieces: readonly RoutePiece[]
}

/** The part of a line in one row. */
export interface RoutePiece {
  /** The stops at the ends of the line. */
  readonly from: string
  readonly to: string
  readonly lane: number
  /** `begins`: at this row's stop; `passes`: from the row above to the row below; `ends`: at this row's stop. */
  readonly part: 'begins' | 'passes' | 'ends'
  /** Whether the line ends in the next row at a stop in another lane; the end of this row then belongs to the bend. */
  readonly bendsNext: boolean
}

/** The most lanes that fit beside the texts on a phone. */
const MOST_LANES = 5

/** A line from one stop to another, with its lane. */
interface Line {
  readonly from: number
  readonly to: number
  readonly lane: number
}

/**
 * Lays out the map. A line leads from each step to the steps that take from it, unless a longer path leads there too, which
 * then implies the line. Each stop is in the lane of one of its incoming lines; its outgoing lines take that lane and the
 * free lanes next to it.
 */
export function layLanes(graph: Graph): RouteMap {
  const ids = [FLOW_INPUT, ...graph.order, FLOW_OUTPUT]
  const targets = reduceLinks(linkStops(graph, ids))
  /** The number of lines that each lane currently holds. */
  const held: number[] = []
  const lines: Line[] = []
  const laneOf: number[] = []
  let isShared = false
  const take = (wanted: number | undefined): number => {
    let lane = wanted ?? held.findIndex(count => count === 0)
    if (lane === -1) lane = held.length
    if (lane >= MOST_LANES) {
      lane = MOST_LANES - 1
      isShared = true
    }
    held[lane] = (held[lane] ?? 0) + 1
    return lane
  }
  for (const [row] of ids.entries()) {
    const ending = lines.filter(({ to }) => to === row)
    const lane = ending.length === 0 ? 0 : Math.min(...ending.map(line => line.lane))
    laneOf.push(lane)
    for (const line of ending) held[line.lane] = (held[line.lane] ?? 1) - 1
    for (const [index, to] of (targets[row] ?? []).entries()) {
      const own = index === 0 && (held[lane] ?? 0) === 0 ? lane : undefined
      lines.push({ from: row, to, lane: take(own) })
    }
  }
  const rows = ids.map((id, row) => ({
    id,
    lane: laneOf[row] ?? 0,
    pieces: lines
      .filter(({ from, to }) => from <= row && row <= to)
      .map(line => pieceOf(line, row, ids, laneOf)),
  }))
  return { rows, lanes: Math.max(1, held.length), isShared }
}

function pieceOf(
  { from, to, lane }: Line,
  row: number,
  ids: readonly string[],
  laneOf: readonly number[],
): RoutePiece {
  return {
    from: ids[from] ?? '',
    to: ids[to] ?? '',
    lane,
    part: row === from ? 'begins' : row === to ? 'ends' : 'passes',
    bendsNext: to === row + 1 && laneOf[to] !== lane,
  }
}

/** By row, the rows that its lines lead to. A step that takes from no other step is linked to the input. */
function linkStops(graph: Graph, ids: readonly string[]): readonly (readonly number[])[] {
  const rowOf = new Map(ids.map((id, row) => [id, row]))
  const targets = ids.map((): Set<number> => new Set())
  const link = (from: string, to: string): void => {
    const [source, target] = [rowOf.get(from), rowOf.get(to)]
    if (source !== undefined && target !== undefined && source < target) targets[source]?.add(target)
  }
  for (const id of graph.order) {
    const sources = graph.sourcesOf(id)
    for (const source of sources) link(source, id)
    if (sources.length === 0 || takesInput(graph, id)) link(FLOW_INPUT, id)
  }
  for (const port of graph.flow.outputs) {
    const source: PortRef | undefined = graph.wireTo({ step: FLOW_OUTPUT, port })?.from
    if (source !== undefined) link(source.step, FLOW_OUTPUT)
  }
  if (graph.order.length === 0) link(FLOW_INPUT, FLOW_OUTPUT)
  return targets.map(rows => [...rows].toSorted((one, other) => one - other))
}

function takesInput(graph: Graph, id: string): boolean {
  return graph.wiredTo(id).some(({ step }) => step === FLOW_INPUT)
}

/** Removes each line whose end is also reached by another path. */
function reduceLinks(targets: readonly (readonly number[])[]): readonly (readonly number[])[] {
  /** By row, all rows reachable from it, as one bit each. */
  const behind: bigint[] = []
  for (let row = targets.length - 1; row >= 0; row -= 1)
    behind[row] = (targets[row] ?? []).reduce(
      (all, target) => all | (1n << BigInt(target)) | (behind[target] ?? 0n),
      0n,
    )
  return targets.map(rows =>
    rows.filter(target =>
      rows.every(other => other === target || (((behind[other] ?? 0n) >> BigInt(target)) & 1n) === 0n),
    ),
  )
}
