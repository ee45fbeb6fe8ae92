import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ExplainedError } from '../explained-error.ts'

/** The function that runs a command of `@farebox/cli`; it is exported by `@farebox/cli/run-cli`. */
export type RunCli = (args: readonly string[]) => Promise<number>

const DOOR = '@farebox/cli/run-cli'

/**
 * Loads the CLI as installed in the project of a folder, or else beside the runtime. Resolves to undefined when it is
 * installed in neither. Throws an {@link ExplainedError} when it is installed and cannot be loaded.
 */
export async function findCli(folder: string): Promise<RunCli | undefined> {
  try {
    const path = resolveFrom(join(folder, 'package.json')) ?? resolveFrom(import.meta.url)
    if (path === undefined) return undefined
    const { runCli } = (await import(pathToFileURL(path).href)) as { readonly runCli: RunCli }
    return runCli
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw new ExplainedError('@farebox/cli could not be loaded', told, { cause: error })
  }
}

function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve(DOOR)
  } catch (error) {
    if (isNotInstalled(error)) return undefined
    throw error
  }
}

/** Node names the specifier when the package is missing, and a path when the package lacks the file. */
function isNotInstalled(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'MODULE_NOT_FOUND' &&
    error.message.startsWith(`Cannot find module '${DOOR}'`)
  )
}
