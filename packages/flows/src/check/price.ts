import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import type { Flow, PortRef } from '../document/flow.ts'
import type { Graph } from '../graph/graph.ts'
import { skips } from '../graph/skips.ts'

/** The price of a run, in decimal USDC; both values are the same when the price does not depend on values of the run. */
export interface FlowPrice {
  readonly at_least: string
  readonly at_most: string
}

/** Up to this many branches are tried both ways; with more, the bounds ignore that branches exclude each other. */
const MAX_TRIED_BRANCHES = 10

/**
 * The exact price range of a run at the pinned prices: the minimum and the maximum over all ways that its branches and
 * approvals can take. Mapped lists cost nothing at least, and their declared maximum at most.
 */
export function priceFlow(graph: Graph): FlowPrice {
  const { flow } = graph
  const deciding = graph.order.filter(id => isDeciding(flow, id))
  const isTried = deciding.length <= MAX_TRIED_BRANCHES
  const sums = isTried
    ? waysThrough(deciding).map(way => {
        const skipped = skippedBy(graph, way)
        return sumOf(graph, id => skipped.has(id))
      })
    : [sumOf(graph, graph.mayBeSkipped), sumOf(graph, () => false)]
  const least = sums.reduce((min, sum) => (sum.least < min ? sum.least : min), sums[0]?.least ?? 0n)
  const most = sums.reduce((max, sum) => (sum.most > max ? sum.most : max), 0n)
  return { at_least: formatUsdc(least), at_most: formatUsdc(most) }
}

function isDeciding(flow: Flow, id: string): boolean {
  const kind = flow.steps[id]?.kind
  return kind === 'branch' || kind === 'approval'
}

/** The port by which each branch passes its value on. */
type Way = ReadonlyMap<string, number>

function waysThrough(deciding: readonly string[]): readonly Way[] {
  return Array.from({ length: 2 ** deciding.length }, (_, number) => {
    return new Map(deciding.map((id, index) => [id, (number >> index) & 1]))
  })
}

/** Ids of the steps that are skipped when the branches go this way. */
function skippedBy(graph: Graph, way: Way): ReadonlySet<string> {
  const skipped = new Set<string>()
  const isOut = ({ step, port }: PortRef): boolean => {
    const taken = way.get(step)
    return skipped.has(step) || (taken !== undefined && graph.outputsOf(step)[taken]?.name !== port)
  }
  for (const id of graph.order) {
    const step = graph.flow.steps[id]
    if (step !== undefined && skips(step, graph.wiredTo(id), isOut)) skipped.add(id)
  }
  return skipped
}

function sumOf(
  { flow }: Graph,
  isOut: (id: string) => boolean,
): { readonly least: bigint; readonly most: bigint } {
  let [least, most] = [0n, 0n]
  for (const [id, step] of Object.entries(flow.steps)) {
    if (step.kind !== 'job' || isOut(id)) continue
    const price = readPrice(step.pinned.price)
    const atomic = price.ok ? price.atomic : 0n
    least += step.map === undefined ? atomic : 0n
    most += atomic * BigInt(step.map?.most ?? 1)
  }
  return { least, most }
}
