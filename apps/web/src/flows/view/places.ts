import type { Flow } from '@farebox/flows/document/flow'
import type { CanvasPoint } from '@farebox/flows/internal/edit/edit'
import type { FlowView } from './flow-view.ts'
import type { NodeView } from './views.ts'

/** The widths of nodes; the style sheet has the same values. */
export const NODE_WIDTHS = { job: 208, end: 144, adapter: 188 } as const

export const GAP_X = 72
const GAP_Y = 32
const GAP_ROWS = 64
/** The two ends and two jobs fit at a readable size into the canvas of a 1440 px window. */
const ROW_WIDTH = 920
const HEAD = 34
const LINE = 24
const PORT = 26
const EDGES = 10

/** The size of a node, to within about a pixel, for finding free space. */
function sizeOf({ kind, inputs, outputs }: NodeView): {
  readonly width: number
  readonly height: number
} {
  const isEnd = kind === 'input' || kind === 'output'
  return sizeOfCard(isEnd ? 'end' : kind === 'job' ? 'job' : 'adapter', inputs.length + outputs.length)
}

/** The size of a node with this many ports. */
export function sizeOfCard(
  kind: keyof typeof NODE_WIDTHS,
  ports: number,
): { readonly width: number; readonly height: number } {
  const rows = Math.max(1, ports)
  return { width: NODE_WIDTHS[kind], height: HEAD + (kind === 'end' ? PORT : LINE) + rows * PORT + EDGES }
}

/**
 * The position of a new step, and the position of the flow's outputs so that they stay right of it. The outputs are ignored
 * when space is searched, because they can be moved.
 */
export function placeBeforeOutputs(
  view: FlowView,
  places: ReadonlyMap<string, CanvasPoint>,
  size: { readonly width: number; readonly height: number },
  wanted: CanvasPoint,
): { readonly at: CanvasPoint; readonly output: CanvasPoint | undefined } {
  const others = new Map([...places].filter(([id]) => id !== 'output'))
  const at = findRoom(view, others, size, wanted)
  const output = places.get('output')
  const x = at.x + size.width + GAP_X
  return { at, output: output === undefined || output.x >= x ? undefined : { x, y: output.y } }
}

/** The position of every node: the one in the document, or else a free one. */
export function placeNodes(flow: Flow, view: FlowView): ReadonlyMap<string, CanvasPoint> {
  const layout = flow.layout ?? {}
  const given = view.order.filter(id => Object.hasOwn(layout, id))
  if (given.length === 0) return layOut(view)
  const places = new Map<string, CanvasPoint>()
  for (const id of given) places.set(id, layout[id] ?? { x: 0, y: 0 })
  for (const id of view.order) {
    if (places.has(id)) continue
    const node = view.nodes.get(id)
    if (node === undefined) continue
    places.set(id, findRoom(view, places, sizeOf(node), besideSources(view, places, id)))
  }
  return places
}

interface Box extends CanvasPoint {
  readonly width: number
  readonly height: number
}

/** The position nearest to the wanted one, at or below it, that overlaps no node and no wire. */
export function findRoom(
  view: FlowView,
  places: ReadonlyMap<string, CanvasPoint>,
  size: { readonly width: number; readonly height: number },
  wanted: CanvasPoint,
): CanvasPoint {
  const nodes = new Map<string, Box>()
  for (const [other, place] of places) {
    const node = view.nodes.get(other)
    if (node !== undefined) nodes.set(other, { ...place, ...sizeOf(node) })
  }
  const taken = [...nodes.values(), ...wiresThrough(view, nodes, wanted.x, size.width)]
  let { y } = wanted
  for (let tries = 0; tries <= taken.length; tries += 1) {
    const hit = taken.find(
      one =>
        wanted.x < one.x + one.width + GAP_Y &&
        one.x < wanted.x + size.width + GAP_Y &&
        y < one.y + one.height + GAP_Y &&
        one.y < y + size.height + GAP_Y,
    )
    if (hit === undefined) break
    y = hit.y + hit.height + GAP_Y
  }
  return { x: wanted.x, y }
}

/** The part of each wire within a column that it crosses. Wires are treated as straight lines, which they nearly are. */
function wiresThrough(
  view: FlowView,
  nodes: ReadonlyMap<string, Box>,
  x: number,
  width: number,
): readonly Box[] {
  return view.wires.flatMap(({ from, to }) => {
    const [source, target] = [nodes.get(from.step), nodes.get(to.step)]
    if (source === undefined || target === undefined) return []
    const [start, end] = [source.x + source.width, target.x]
    // Wires that lead backwards run around the nodes.
    if (start >= x || end <= x + width) return []
    const [above, below] = [source.y + source.height / 2, target.y + target.height / 2]
    const at = (where: number): number => above + ((below - above) * (where - start)) / (end - start)
    const ends = [at(x), at(x + width)]
    const top = Math.min(...ends)
    return [{ x, y: top, width, height: Math.max(...ends) - top }]
  })
}

/**
 * Lays out columns from left to right, with the steps of each in the order of their sources. A long flow is broken into rows
 * of columns, like lines of text, so that it stays readable in a window that a single row would not fit.
 */
function layOut(view: FlowView): ReadonlyMap<string, CanvasPoint> {
  const places = new Map<string, CanvasPoint>()
  const rows = rowsOf(view, columnsOf(view))
  let top = 0
  for (const columns of rows) {
    const height = Math.max(...columns.map(ids => heightOfColumn(view, ids)))
    // Wires between rows lead to the beginning of the next row, so the nodes are aligned at the top.
    placeRow(view, places, columns, rows.length > 1 ? { top } : { middle: top + height / 2 })
    top += height + GAP_ROWS
  }
  return places
}

function placeRow(
  view: FlowView,
  places: Map<string, CanvasPoint>,
  columns: readonly (readonly string[])[],
  at: { readonly top: number } | { readonly middle: number },
): void {
  let x = 0
  for (const ids of columns) {
    const wanted = ids
      .map(id => ({ id, at: middleOfSources(view, places, id) }))
      .sort((one, other) => one.at - other.at)
    let y = 'top' in at ? at.top : at.middle - heightOfColumn(view, ids) / 2
    for (const { id } of wanted) {
      places.set(id, { x, y: Math.round(y) })
      y += heightOf(view, id) + GAP_Y
    }
    // An empty flow leaves space for a first step between its ends.
    x += widthOfColumn(view, ids) + (view.order.length === 2 ? NODE_WIDTHS.job + 2 * GAP_X : GAP_X)
  }
}

/** The fewest rows that are no wider than {@link ROW_WIDTH}, with about the same number of columns in each. */
function rowsOf(
  view: FlowView,
  columns: readonly (readonly string[])[],
): readonly (readonly (readonly string[])[])[] {
  for (let count = 1; ; count += 1) {
    const each = Math.ceil(columns.length / count)
    const rows = Array.from({ length: Math.ceil(columns.length / each) }, (_, row) =>
      columns.slice(row * each, (row + 1) * each),
    )
    const isNarrow = rows.every(row => widthOfRow(view, row) <= ROW_WIDTH)
    if (isNarrow || each === 1) return rows
  }
}

function widthOfRow(view: FlowView, columns: readonly (readonly string[])[]): number {
  return columns.reduce((sum, ids) => sum + widthOfColumn(view, ids) + GAP_X, -GAP_X)
}

function widthOfColumn(view: FlowView, ids: readonly string[]): number {
  return Math.max(...ids.map(id => widthOf(view, id)))
}

function heightOfColumn(view: FlowView, ids: readonly string[]): number {
  return ids.reduce((sum, id) => sum + heightOf(view, id) + GAP_Y, -GAP_Y)
}

function columnsOf({ order, graph }: FlowView): readonly (readonly string[])[] {
  const depths = new Map<string, number>()
  for (const id of order) {
    const sources = graph.sourcesOf(id)
    depths.set(id, Math.max(0, ...sources.map(source => depths.get(source) ?? 0)) + 1)
  }
  depths.set('input', 0)
  depths.set('output', Math.max(0, ...depths.values()) + 1)
  const columns: string[][] = Array.from({ length: Math.max(...depths.values()) + 1 }, () => [])
  for (const id of order) columns[depths.get(id) ?? 0]?.push(id)
  return columns.filter(({ length }) => length > 0)
}

function middleOfSources(view: FlowView, places: ReadonlyMap<string, CanvasPoint>, id: string): number {
  const middles = view.graph.wiredTo(id).flatMap(({ step }) => {
    const place = places.get(step)
    return place === undefined ? [] : [place.y + heightOf(view, step) / 2]
  })
  return middles.length === 0 ? 0 : middles.reduce((sum, y) => sum + y, 0) / middles.length
}

function besideSources(view: FlowView, places: ReadonlyMap<string, CanvasPoint>, id: string): CanvasPoint {
  const sources = [...view.graph.sourcesOf(id), ...(id === 'input' ? [] : ['input'])].flatMap(source => {
    const place = places.get(source)
    return place === undefined ? [] : [{ ...place, width: widthOf(view, source) }]
  })
  if (id === 'input' || sources.length === 0) return { x: id === 'input' ? -240 : 0, y: 0 }
  if (id === 'output') {
    const right = Math.max(...[...places].map(([other, { x }]) => x + widthOf(view, other)))
    return { x: right + GAP_X, y: sources[0]?.y ?? 0 }
  }
  const rightmost = sources.reduce((best, one) => (one.x + one.width > best.x + best.width ? one : best))
  return { x: rightmost.x + rightmost.width + GAP_X, y: rightmost.y }
}

function heightOf({ nodes }: FlowView, id: string): number {
  const node = nodes.get(id)
  return node === undefined ? 0 : sizeOf(node).height
}

function widthOf({ nodes }: FlowView, id: string): number {
  const node = nodes.get(id)
  return node === undefined ? 0 : sizeOf(node).width
}
