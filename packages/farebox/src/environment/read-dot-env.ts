import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ExplainedError } from '../explained-error.ts'
import type { Variables } from './read-environment.ts'

/** What the `.env` beside a config adds to the environment. */
export interface DotEnv {
  /** As it is named to people: relative to where the command was called. */
  readonly file: string
  /** Only what the environment does not have: a value set there, even an empty one, is never replaced. */
  readonly variables: { readonly [name: string]: string }
}

/** Thrown for a `.env` that cannot be read, or not for certain; it names the line and never shows what is there. */
export class DotEnvError extends ExplainedError {
  override readonly name = 'DotEnvError'
}

/**
 * Reads the `.env` beside a config. Resolves to undefined where there is none.
 *
 * Throws a {@link DotEnvError} for one that cannot be read and for a line that is no `NAME=value`: what would be
 * skipped there in silence may be what decides whether jobs are paid for.
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
    // A byte order mark is an editor's, not the author's.
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

/** Node's parser passes over what it does not understand, and some releases take the next line with it. */
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

/** A quoted value may go on over lines; undefined where its quote never ends. */
function lastLineOf(value: string, lines: readonly string[], index: number): number | undefined {
  const quote = /^["'`]/.exec(value)?.[0]
  if (quote === undefined || value.includes(quote, 1)) return index
  const found = lines.findIndex((line, later) => later > index && line.includes(quote))
  return found === -1 ? undefined : found
}
