import { fileURLToPath } from 'node:url'
import { describeThrown } from '../handler/describe-thrown.ts'
import { ownFrames, relativePlace } from '../own-frames.ts'
import { excerptSource } from './excerpt-source.ts'
import { findSyntaxError, readSyntaxPlace, type SyntaxPlace } from './find-syntax-error.ts'

/** The reason why a file of handlers could not be loaded, explained for its author. */
export interface LoadFailure {
  readonly message: string
  /** The line at fault, or the part of the stack that is in the author's files. */
  readonly details: readonly string[]
  readonly hint: string
}

/**
 * Explains an error that was thrown while a file was imported: a syntax error by its place, whether it was found by
 * Node, its type stripping, or esbuild for tsx; a missing module by its name; any other error by the stack lines in the
 * author's files.
 *
 * @param path the imported file, absolute
 * @param folder the folder that places are relative to
 */
export async function explainLoadFailure(error: unknown, path: string, folder: string): Promise<LoadFailure> {
  const frames = stackFrames(error, folder)
  const wrong = placeTold(error) ?? (isBare(error, frames) ? await findSyntaxError(path) : undefined)
  if (wrong !== undefined) return await explainSyntax(error, wrong, folder)
  const name = relativePlace(path, folder)
  if (isModuleMissing(error)) return explainMissing(error.message, name, folder)
  const message = `${name} could not be loaded: ${named(error)}`
  return { message, details: frames, hint: '' }
}

function stackFrames(error: unknown, folder: string): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return []
  return ownFrames(error.stack, folder).map(({ place, caller }) =>
    caller === undefined ? `at ${place}` : `at ${caller} (${place})`,
  )
}

/**
 * Whether the error is a syntax error without a place: one of a module; errors of `JSON.parse` and the like have stack
 * lines in the author's files.
 */
function isBare(error: unknown, frames: readonly string[]): boolean {
  return error instanceof SyntaxError && frames.length === 0
}

/** `/home/ada/handlers.ts:2:48: ERROR: Expected "}" but found ")"`; its columns are counted from 0. */
const ESBUILD = /^(.+):(\d+):(\d+): ERROR: (.+)$/m

function placeTold(error: unknown): SyntaxPlace | undefined {
  if (!(error instanceof Error)) return undefined
  const [, file, line, column, reason] = ESBUILD.exec(error.message) ?? []
  if (file !== undefined && reason !== undefined)
    return { file, line: Number(line), column: Number(column) + 1, reason }
  return error instanceof SyntaxError && typeof error.stack === 'string'
    ? readSyntaxPlace(error.stack, error.message)
    : undefined
}

async function explainSyntax(error: unknown, wrong: SyntaxPlace, folder: string): Promise<LoadFailure> {
  const { line, column, reason } = wrong
  const file = wrong.file.startsWith('file:') ? fileURLToPath(wrong.file) : wrong.file
  const strips = codeOf(error) === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
  return {
    message: `${relativePlace(file, folder)}:${line}:${column}  ${reason}`,
    details: await excerptSource(file, line, column),
    hint: strips ? 'Node only takes types away: write it in JavaScript, or build the file first' : '',
  }
}

function isModuleMissing(error: unknown): error is Error {
  return error instanceof Error && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(codeOf(error)))
}

function explainMissing(message: string, name: string, folder: string): LoadFailure {
  const [sentence = ''] = message
    .replaceAll(`${folder}/`, '')
    .replace(/\?[^\s']*/g, '')
    .split('\n')
  const [, missing = ''] = /Cannot find (?:package|module) '([^']+)'/.exec(sentence) ?? []
  const [, dependency] = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/|$)/.exec(missing) ?? []
  const isFile = dependency === undefined || sentence.includes(`module '${missing}' imported from`)
  return {
    message: `${name} could not be loaded: ${sentence}`,
    details: [],
    hint: isFile ? 'check the path in that import, and its extension' : `npm install ${dependency}`,
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function named(error: unknown): string {
  const told = describeThrown(error)
  return error instanceof Error ? `${error.name}: ${told}` : told
}
