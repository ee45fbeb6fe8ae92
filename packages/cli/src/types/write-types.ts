import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { CommandError, systemErrorCode, usageError } from '../command-error.ts'
import { TYPES_MARK, typesOf } from './types-of.ts'

/** Which declaration to write as types, and where. */
export interface TypesOptions {
  /** The file that it was read from; the types are written beside it, `agent.json` → `agent.d.ts`. */
  readonly config: string
  readonly declaration: Declaration
  /** Another path for the types; a relative one is resolved against the process's folder. */
  readonly out?: string
}

export interface TypesState {
  /** Absolute. */
  readonly file: string
  readonly isFresh: boolean
  readonly text: string
  /**
   * A file beside it that the compiler reads instead: when `agent.ts` exists, an import of `./agent.d.ts` resolves to it.
   */
  readonly hiddenBy: string | undefined
}

/**
 * Writes `agent.d.ts` when it differs from the declaration: completely or not at all, so that an editor or a compiler never
 * reads an incomplete file.
 *
 * Throws a `CommandError` when the file was written by a person, or cannot be written.
 */
export async function writeTypes(
  options: TypesOptions,
): Promise<Pick<TypesState, 'file' | 'hiddenBy'> & { readonly changed: boolean }> {
  const { file, isFresh, text, hiddenBy } = await readTypes(options)
  if (isFresh) return { file, hiddenBy, changed: false }
  const half = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`)
  try {
    await writeFile(half, text)
    await rename(half, file)
  } catch (error) {
    await rm(half, { force: true }).catch(() => undefined)
    throw new CommandError(
      `${file} cannot be written (${systemErrorCode(error)})`,
      'name another file with --out',
      {
        cause: error,
      },
    )
  }
  return { file, hiddenBy, changed: true }
}

/** Returns whether `agent.d.ts` matches the declaration, without writing. Throws like {@link writeTypes}. */
export async function readTypes(options: TypesOptions): Promise<TypesState> {
  const file = resolve(options.out ?? beside(options.config))
  if (!file.endsWith('.ts')) {
    throw usageError(`${file} is not a TypeScript file`, 'name one that ends in .d.ts')
  }
  const text = typesOf(options.declaration)
  const there = (await readIfThere(file))?.replaceAll('\r\n', '\n')
  if (there !== undefined && there.trim() !== '' && !there.startsWith(TYPES_MARK)) {
    throw new CommandError(
      `${file} was not written by farebox types`,
      'move it away, or name another file with --out',
    )
  }
  // Version control may have changed the line endings; that does not make the file stale.
  return { file, isFresh: there === text, text, hiddenBy: await findHiding(file) }
}

function beside(config: string): string {
  return join(dirname(config), `${basename(config, extname(config))}.d.ts`)
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw new CommandError(
      `${file} cannot be read (${systemErrorCode(error)})`,
      'name another file with --out',
      {
        cause: error,
      },
    )
  }
}

async function findHiding(file: string): Promise<string | undefined> {
  if (!file.endsWith('.d.ts')) return undefined
  for (const ending of ['.ts', '.tsx']) {
    const other = file.replace(/\.d\.ts$/, ending)
    if ((await readIfThere(other)) !== undefined) return other
  }
  return undefined
}
