import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ExplainedError } from '../explained-error.ts'
import type { AnyHandlers } from '../handlers.ts'
import { relativePlace } from '../own-frames.ts'

/** Thrown when the handlers cannot be found or loaded; it names the places that were searched, and the fix. */
export class HandlersError extends ExplainedError {
  override readonly name: string = 'HandlersError'
  /** The line at fault, or the stack lines in the author's files; empty when there are none. */
  readonly details: readonly string[]

  constructor(
    message: string,
    hint: string,
    options: ErrorOptions & { readonly details?: readonly string[] } = {},
  ) {
    super(message, hint, options)
    this.details = options.details ?? []
  }
}

/** There is no file of handlers beside the config or in `src/`. */
export class HandlersMissing extends HandlersError {
  override readonly name = 'HandlersMissing'
}

const ENDINGS = ['ts', 'mts', 'js', 'mjs'] as const

/**
 * The places that are searched for handlers, in order: `handlers.(ts|mts|js|mjs)` beside the config, then in `src/`
 * (D28).
 */
export function handlerPlaces(configFile: string, folder: string = process.cwd()): readonly string[] {
  const beside = dirname(resolve(folder, configFile))
  return [beside, join(beside, 'src')].flatMap(place =>
    ENDINGS.map(ending => join(place, `handlers.${ending}`)),
  )
}

/** The first of {@link handlerPlaces} that exists. Throws {@link HandlersMissing}. */
export async function findHandlers(configFile: string, folder: string = process.cwd()): Promise<string> {
  for (const candidate of handlerPlaces(configFile, folder)) {
    if (await exists(candidate)) return candidate
  }
  throw new HandlersMissing(
    `no handlers beside ${relativePlace(resolve(folder, configFile), folder)}`,
    'write handlers.ts (or .mts, .js, .mjs) there or in src/, or name the file with --handlers',
  )
}

/**
 * Loads the default export of a file of handlers. TypeScript is loaded by Node itself if it can (22.18 and newer),
 * otherwise by `tsx` if that is installed. Throws a {@link HandlersError}.
 *
 * @param folder the folder that places in messages are relative to
 */
export async function loadHandlers(file: string, folder: string = process.cwd()): Promise<AnyHandlers> {
  const path = resolve(folder, file)
  const name = relativePlace(path, folder)
  if (!(await exists(path)))
    throw new HandlersError(`${name}: there is no such file`, 'name the file of handlers with --handlers')
  const handlers = defaultExport(await importFile(path, folder))
  if (typeof handlers === 'function' || (typeof handlers === 'object' && handlers !== null))
    return handlers as AnyHandlers
  throw new HandlersError(
    `${name}: the default export must be a map from capability name to function, or one function`,
    'export default { capability: input => output }',
  )
}

/**
 * Without `"type": "module"` in a `package.json`, a TypeScript module is wrapped as CommonJS, with its default export
 * inside.
 */
function defaultExport(module: unknown): unknown {
  const outer = readDefault(module)
  return typeof outer === 'object' && outer !== null && '__esModule' in outer ? readDefault(outer) : outer
}

function readDefault(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
}

async function importFile(path: string, folder: string): Promise<unknown> {
  const url = pathToFileURL(path).href
  try {
    if (/\.m?ts$/.test(path) && !nodeLoadsTypeScript()) await takeTypeScript(relativePlace(path, folder))
    return await import(url)
  } catch (error) {
    if (error instanceof HandlersError) throw error
    // Imported lazily: a start that succeeds does not need it.
    const { explainLoadFailure } = await import('./explain-load-failure.ts')
    const { message, details, hint } = await explainLoadFailure(error, path, folder)
    throw new HandlersError(message, hint, { details, cause: error })
  }
}

/** Registers tsx for both kinds of modules, so that stacks have files and lines with and without `"type": "module"`. */
async function takeTypeScript(name: string): Promise<void> {
  try {
    const [forImport, forRequire] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')])
    forRequire.register()
    forImport.register()
  } catch (error) {
    throw new HandlersError(
      `${name}: this Node (${process.version}) does not load TypeScript`,
      'npm install tsx, or use Node 22.18 or newer',
      { cause: error },
    )
  }
}

/** The feature is `strip` or `transform` when supported; the types for Node 20 do not declare it yet. */
function nodeLoadsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript)
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch {
    return false
  }
}
