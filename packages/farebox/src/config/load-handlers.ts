import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyHandlers } from '../handlers.ts'

/** Thrown when the handlers cannot be found or loaded; says where they were looked for and what to do. */
export class HandlersError extends Error {
  override readonly name = 'HandlersError'
}

const ENDINGS = ['ts', 'mts', 'js', 'mjs'] as const

/** The first of `handlers.(ts|mts|js|mjs)` beside the config, then in `src/` (D28). Throws a {@link HandlersError}. */
export async function findHandlers(configFile: string): Promise<string> {
  const folder = dirname(resolve(configFile))
  const candidates = [folder, join(folder, 'src')].flatMap(place =>
    ENDINGS.map(ending => join(place, `handlers.${ending}`)),
  )
  for (const candidate of candidates) {
    if (await exists(candidate)) return candidate
  }
  throw new HandlersError(
    `no handlers beside ${configFile}: write handlers.ts (or .mts, .js, .mjs) there or in src/, or name the file with --handlers`,
  )
}

/**
 * Loads a file of handlers: its default export. TypeScript is loaded by Node itself where it can (22.18 and
 * newer), else by `tsx` where that is installed. Throws a {@link HandlersError}.
 */
export async function loadHandlers(file: string): Promise<AnyHandlers> {
  const path = resolve(file)
  if (!(await exists(path))) throw new HandlersError(`${file}: there is no such file`)
  const handlers = defaultExport(await importFile(path))
  if (typeof handlers === 'function' || (typeof handlers === 'object' && handlers !== null))
    return handlers as AnyHandlers
  throw new HandlersError(
    `${file}: the default export must be a map from capability name to function, or one function`,
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

async function importFile(path: string): Promise<unknown> {
  const url = pathToFileURL(path).href
  const isTypeScript = /\.m?ts$/.test(path)
  try {
    return !isTypeScript || nodeLoadsTypeScript() ? await import(url) : await importByTsx(path, url)
  } catch (error) {
    if (error instanceof HandlersError) throw error
    throw new HandlersError(`${path}: could not be loaded: ${explain(path, error)}`, { cause: error })
  }
}

/** The stack says where: in a file of handlers that is what its author needs. Of a syntax error Node keeps that to itself. */
function explain(path: string, error: unknown): string {
  if (error instanceof SyntaxError) return `SyntaxError: ${error.message}\n  node --check ${path} shows where`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

async function importByTsx(path: string, url: string): Promise<unknown> {
  let tsx: { tsImport(specifier: string, parent: string): Promise<unknown> }
  try {
    tsx = await import('tsx/esm/api')
  } catch (error) {
    throw new HandlersError(
      `${path}: this Node (${process.version}) does not load TypeScript: npm install tsx, or use Node 22.18 or newer`,
      { cause: error },
    )
  }
  return await tsx.tsImport(url, import.meta.url)
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
