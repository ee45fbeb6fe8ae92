import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ExplainedError } from '../explained-error.ts'
import type { Variables } from './read-environment.ts'

/** The variables that the `.env` beside a config adds to the environment. */
export interface DotEnv {
  /** The path as shown to people: relative to the current folder. */
  readonly file: string
  /** Only variables that the environment does not have: a value set there, even an empty one, is never replaced. */
  readonly variables: { readonly [name: string]: string }
}

/** Thrown for a `.env` that cannot be read or parsed reliably; it names the line and never shows the content. */
export class DotEnvError extends ExplainedError {
  override readonly name = 'DotEnvError'
}

/**
 * Reads the `.env` beside a config. Resolves to undefined when there is none.
 *
 * Throws a {@link DotEnvError} for a file that cannot be read and for a line that is not `NAME=value`: a line skipped
 * silently might be the one that decides whether jobs are paid for.
 */
export async function readDotEnv(
  configFile: string,
  environment: Variables,
  folder: string = process.cwd(),
): Promise<DotEnv | undefined> {
  const path = join(dirname(resolve(folder, configFile)), '.env')
  const file = relative(folder, path)
  const text = await readText(path, file)
  if (text === undefined) return undefined
  refuseBroken(text, file)
  const entries = Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    value === undefined || environment[name] !== undefined ? [] : [[name, value] as const],
  )
  return { file, variables: Object.fromEntries(entries) }
}

async function readText(path: string, file: string): Promise<string | undefined> {
  try {
    // Editors add a byte order mark, which is not part of the content.
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT') return undefined
    throw new DotEnvError(
      code === 'EISDIR' ? `${file} is a folder` : `${file} cannot be read (${code})`,
      `make it a file that this user may read, or move it away`,
      { cause: error },
    )
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/
const BLANK = /^\s*(?:#.*)?$/

/**
 * Checks every line first: Node's parser skips lines that it does not understand, and in some releases also the line
 * after them.
 */
function refuseBroken(text: string, file: string): void {
  const lines = text.split(/\r?\n/)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (BLANK.test(line)) continue
    const value = ASSIGNMENT.exec(line)?.[1]
    if (value === undefined)
      throw new DotEnvError(`${file}:${index + 1} is no NAME=value`, 'write it so, or put a # before it')
    const last = lastLineOf(value, lines, index)
    if (last === undefined)
      throw new DotEnvError(
        `${file}:${index + 1} begins a quote that never ends`,
        'close it, or take the quote away',
      )
    index = last
  }
}

/** The index of the last line of a value: a quoted value may span lines. Undefined when its quote is never closed. */
function lastLineOf(value: string, lines: readonly string[], index: number): number | undefined {
  const quote = /^["'`]/.exec(value)?.[0]
  if (quote === undefined || value.includes(quote, 1)) return index
  const found = lines.findIndex((line, later) => later > index && line.includes(quote))
  return found === -1 ? undefined : found
}
