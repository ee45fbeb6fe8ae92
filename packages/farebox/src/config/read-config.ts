import { readFile } from 'node:fs/promises'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatPath, type Problem } from '@farebox/protocol/declaration/problem'
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'

/** One thing wrong with a config file, and where a person finds it. */
export interface ConfigProblem {
  /** From 1. */
  readonly line: number
  readonly column: number
  /** `capabilities.count.pricing.amount`; empty for the file as a whole. */
  readonly path: string
  readonly reason: string
}

/** Thrown for a config that cannot be served; its message lists every problem as `agent.json:12:9 path: reason`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly file: string
  readonly problems: readonly ConfigProblem[]

  constructor(file: string, problems: readonly ConfigProblem[]) {
    super(problems.map(problem => formatProblem(file, problem)).join('\n'))
    this.file = file
    this.problems = problems
  }
}

/** Larger than any declaration, small enough to read whole. */
const MAX_CONFIG_BYTES = 4_194_304

/** Deeper than any declaration, shallow enough for whatever recurses over it. */
const MAX_CONFIG_DEPTH = 200

/**
 * Reads an `agent.json` and checks it whole (D28). Throws a {@link ConfigError} with every problem and its place,
 * also for a file that is missing, too large, or not JSON.
 */
export async function readConfig(file: string): Promise<Declaration> {
  const text = await readText(file)
  return parseConfig(file, text)
}

/** {@link readConfig} of a text already read; `file` is only named in the problems. */
export function parseConfig(file: string, text: string): Declaration {
  // A byte order mark is an editor's, not the author's.
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text
  const refuse = (problems: readonly PlacedProblem[]): never => {
    throw new ConfigError(
      file,
      problems.map(({ offset, path, reason }) => ({
        ...placeOf(json, offset),
        path: formatPath(path),
        reason,
      })),
    )
  }
  if (deeperThan(json, MAX_CONFIG_DEPTH))
    return refuse([{ offset: 0, path: [], reason: `is nested more than ${MAX_CONFIG_DEPTH} deep` }])
  const errors: ParseError[] = []
  const tree = parseTree(json, errors, { disallowComments: true, allowTrailingComma: false })
  const [error] = errors
  if (error !== undefined || tree === undefined) {
    const reason =
      error === undefined ? 'the file is empty' : `not JSON: ${spaced(printParseErrorCode(error.error))}`
    return refuse([{ offset: error?.offset ?? 0, path: [], reason }])
  }
  const duplicates = duplicateKeys(tree, [])
  const checked = checkDeclaration(JSON.parse(json))
  if (checked.ok && duplicates.length === 0) return checked.declaration
  const problems = checked.ok ? [] : checked.problems
  return refuse([
    ...duplicates,
    ...problems.map(problem => ({ ...problem, offset: offsetOf(tree, problem.path) })),
  ])
}

/** A problem, and where its value begins in the text. */
interface PlacedProblem extends Problem {
  readonly offset: number
}

/** Brackets within strings count too: no declaration comes near the limit, and the parser recurses. */
function deeperThan(json: string, limit: number): boolean {
  let depth = 0
  for (const character of json) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > limit) return true
  }
  return false
}

async function readText(file: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason =
      code === 'ENOENT'
        ? 'there is no such file: name it with --config, or run in its folder'
        : `cannot be read (${code})`
    throw new ConfigError(file, [{ line: 1, column: 1, path: '', reason }])
  }
  if (bytes.length <= MAX_CONFIG_BYTES) return bytes.toString('utf8')
  throw new ConfigError(file, [
    {
      line: 1,
      column: 1,
      path: '',
      reason: `is ${bytes.length} bytes, at most ${MAX_CONFIG_BYTES} are read`,
    },
  ])
}

/** JSON lets the last of two equal keys win, silently: in a price list that is a trap. */
function duplicateKeys(node: Node, path: Problem['path']): PlacedProblem[] {
  const children = node.children ?? []
  if (node.type === 'array') return children.flatMap((child, index) => duplicateKeys(child, [...path, index]))
  if (node.type !== 'object') return []
  const seen = new Set<string>()
  return children.flatMap(({ children: [key, value] = [] }) => {
    const name = String(key?.value)
    const inner = value === undefined ? [] : duplicateKeys(value, [...path, name])
    const again = seen.has(name)
    seen.add(name)
    return again
      ? [
          { path: [...path, name], reason: 'is declared twice', offset: value?.offset ?? node.offset },
          ...inner,
        ]
      : inner
  })
}

/** Where the value is, or the nearest thing around it that is there. */
function offsetOf(tree: Node, path: Problem['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node !== undefined) return node.offset
  }
  return tree.offset
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

function formatProblem(file: string, { line, column, path, reason }: ConfigProblem): string {
  return `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${reason}`
}

/** `CloseBraceExpected` → `close brace expected`. */
function spaced(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, letter => ` ${letter}`).toLowerCase()
}
