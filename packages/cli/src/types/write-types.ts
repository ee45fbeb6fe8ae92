import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { CommandError, systemErrorCode, usageError } from '../command-error.ts'
import { TYPES_MARK, typesOf } from './types-of.ts'

/** Which declaration is to be written as types, and where. */
export interface TypesOptions {
  /** The file it was read from: the types go beside it, `agent.json` → `agent.d.ts`. */
  readonly config: string
  readonly declaration: Declaration
  /** Another place; a relative one is seen from the process's own folder. */
  readonly out?: string
}

export interface TypesState {
  /** Absolute. */
  readonly file: string
  readonly isFresh: boolean
  readonly text: string
  /**
   * A file beside it that the compiler reads in its place: where there is an `agent.ts`, an import of `./agent.d.ts`
   * means that.
   */
  readonly hiddenBy: string | undefined
}

/**
 * Writes `agent.d.ts` where it is not what the declaration says: whole or not at all, so that an editor or a
 * compiler never reads half of it.
 *
 * Throws a `CommandError` where the file is somebody's own, or cannot be written.
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

/** Tells whether `agent.d.ts` is what the declaration says, writing nothing. Throws as {@link writeTypes} does. */
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
  // Version control may have given the lines other endings: that is not stale.
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
