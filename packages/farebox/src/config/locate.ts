import type { Problem } from '@farebox/protocol/problems/problem'
import type { Node } from 'jsonc-parser'

/** The part of a text that a problem concerns, from `start` up to but excluding `end`. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

/**
 * Makes a function that finds the part of a JSON text to point at: the value at a path, or its key when the key is at
 * fault. When an object or array lacks the next step of the path, that is its opening bracket.
 *
 * @param tree the parsed text
 */
export function createLocator(tree: Node): (problem: Pick<Problem, 'path' | 'at'>) => TextPart {
  const indexes = new Map<Node, ReadonlyMap<unknown, Found>>()
  const indexOf = (node: Node): ReadonlyMap<unknown, Found> => {
    const index = indexes.get(node) ?? indexChildren(node)
    indexes.set(node, index)
    return index
  }
  return ({ path, at }) => {
    let found: Found = { value: tree }
    for (const step of path) {
      const inner = indexOf(found.value).get(step)
      if (inner === undefined) return openingBracket(found.value)
      found = inner
    }
    return partOf(at === 'key' ? (found.key ?? found.value) : found.value)
  }
}

/** The range of a whole value or key. */
export function partOf({ offset, length }: Node): TextPart {
  return { start: offset, end: offset + length }
}

interface Found {
  readonly value: Node
  readonly key?: Node
}

/** Indexes children by key or index; of duplicate keys the last is kept, as JSON.parse does. */
function indexChildren({ type, children = [] }: Node): ReadonlyMap<unknown, Found> {
  if (type === 'array') return new Map(children.map((value, index) => [index, { value }]))
  if (type !== 'object') return new Map()
  return new Map(
    children.flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[key.value, { key, value }]] : [],
    ),
  )
}

function openingBracket(node: Node): TextPart {
  const isContainer = node.type === 'object' || node.type === 'array'
  return isContainer ? { start: node.offset, end: node.offset + 1 } : partOf(node)
}
