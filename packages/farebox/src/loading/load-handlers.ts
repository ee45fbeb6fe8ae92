import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ExplainedError } from '../explained-error.ts'
import type { AnyHandlers } from '../handlers.ts'
import { relativePlace } from '../own-frames.ts'

/** Thrown when the handlers cannot be found or loaded; says where they were looked for and what to do. */
export class HandlersError extends ExplainedError {
  override readonly name: string = 'HandlersError'
  /** The line at fault, or where in the author's files it came about; empty where there is nothing to show. */
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

/** There is no file of handlers, neither beside the config nor in `src/`. */
export class HandlersMissing extends HandlersError {
  override readonly name = 'HandlersMissing'
}

const ENDINGS = ['ts', 'mts', 'js', 'mjs'] as const

/** Where handlers are looked for, in this order: `handlers.(ts|mts|js|mjs)` beside the config, then in `src/` (D28). */
export function handlerPlaces(configFile: string, folder: string = process.cwd()): readonly string[] {
  const beside = dirname(resolve(folder, configFile))
  return [beside, join(beside, 'src')].flatMap(place =>
    ENDINGS.map(ending => join(place, `handlers.${ending}`)),
  )
}

/** The first of {@link handlerPlaces} that is there. Throws {@link HandlersMissing}. */
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
 * Loads a file of handlers: its default export. TypeScript is loaded by Node itself where it can (22.18 and
 * newer), else by `tsx` where that is installed. Throws a {@link HandlersError}.
 *
 * @param folder what messages name places from
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

/** Where no `package.json` says `"type": "module"`, a TypeScript module arrives wrapped as CommonJS. */
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
    // Loaded where it is needed: a start that goes well has no use for it.
    const { explainLoadFailure } = await import('./explain-load-failure.ts')
    const { message, details, hint } = await explainLoadFailure(error, path, folder)
    throw new HandlersError(message, hint, { details, cause: error })
  }
}

/** Both kinds of module, so that a stack names files and lines whether a `package.json` says "module" or not. */
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

/** Says `strip` or `transform` where it does; our types for Node 20 do not know it yet. */
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
