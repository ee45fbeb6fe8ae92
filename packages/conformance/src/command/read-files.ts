import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CannotRun, type ConformanceWorld } from './command-world.ts'

/** Reads a file that an option names and trims its whitespace. Throws `CannotRun` when the file cannot be read. */
export async function readNamedFile(
  { folder }: Pick<ConformanceWorld, 'folder'>,
  option: string,
  file: string,
): Promise<string> {
  try {
    return (await readFile(resolve(folder, file), 'utf8')).trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new CannotRun(`${option}: ${file} cannot be read${code}`, '', { cause: error })
  }
}
