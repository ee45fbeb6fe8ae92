import { formatPath, type Problem } from '@farebox/protocol/problems/problem'
import type { Node } from 'jsonc-parser'
import { partOf, type TextPart } from './locate.ts'

/** A key that occurs twice in one object. */
export interface DuplicateKey {
  readonly again: TextPart
  readonly first: TextPart
  readonly path: string
}

/** Finds duplicate keys. JSON silently takes the last of two equal keys, which is dangerous in a price list. */
export function findDuplicateKeys(tree: Node): readonly DuplicateKey[] {
  const found: DuplicateKey[] = []
  walk(tree, [], found)
  return found
}

function walk({ type, children = [] }: Node, path: Problem['path'], found: DuplicateKey[]): void {
  if (type === 'array') for (const [index, item] of children.entries()) walk(item, [...path, index], found)
  if (type !== 'object') return
  const seen = new Map<string, TextPart>()
  for (const { children: [key, value] = [] } of children) {
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    const inner = [...path, name]
    const first = seen.get(name)
    if (first === undefined) seen.set(name, partOf(key))
    else found.push({ again: partOf(key), first, path: formatPath(inner) })
    walk(value, inner, found)
  }
}
