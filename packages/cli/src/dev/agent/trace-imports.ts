import { createRequire, register } from 'node:module'
import { dirname, resolve } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { HooksData } from './import-hooks.ts'

/** Traces which files of the project this process imports. */
export interface ImportTrace {
  begin(): void
  /**
   * Returns the files that were imported, or looked for and not found, since the trace began: absolute paths, sorted.
   *
   * @param error the error of a failed import, if any: for CommonJS it contains the name that was not found
   */
  files(error?: unknown): readonly string[]
  onImport(tell: (file: string) => void): void
}

/** The hooks file beside this one, built or not. */
const HOOKS = import.meta.url.replace(/trace-imports(?=\.[jt]s$)/, 'import-hooks')

/**
 * Traces imports: ES modules through a hook of `node:module`, CommonJS through its cache. Files in `node_modules` are
 * ignored. A TypeScript loader is registered after this, so that each extension it tries is traced.
 *
 * @param parentPid the parent; this process ends when the parent has ended
 */
export function traceImports(parentPid: number): ImportTrace {
  const { port1: ours, port2: theirs } = new MessageChannel()
  const hooks: HooksData = { port: theirs, parentPid }
  register(HOOKS, { data: hooks, transferList: [theirs] })
  ours.unref()
  const cache = createRequire(import.meta.url).cache
  const found = new Set<string>()
  let cachedBefore = new Set(Object.keys(cache))
  return {
    begin() {
      received(ours)
      found.clear()
      cachedBefore = new Set(Object.keys(cache))
    },
    files(error) {
      const required = Object.keys(cache).filter(id => !cachedBefore.has(id) && isOfProject(id))
      for (const file of [...received(ours), ...required.map(pathOf), ...wantedByRequire(error)])
        found.add(file)
      return [...found].sort()
    },
    onImport(tell) {
      ours.on('message', (file: unknown) => {
        if (typeof file === 'string') tell(file)
      })
      ours.unref()
    },
  }
}

/**
 * Reads the messages that the hooks sent before the import ended; they have arrived, although no event was emitted for them
 * yet.
 */
function received(port: MessagePort): readonly string[] {
  const files: string[] = []
  for (;;) {
    const one: { readonly message: unknown } | undefined = receiveMessageOnPort(port)
    if (one === undefined) return files
    if (typeof one.message === 'string') files.push(one.message)
  }
}

function isOfProject(id: string): boolean {
  return resolve(id) === id && !/[\\/]node_modules[\\/]/.test(id)
}

/** Returns the path without the query that a loader may have added. */
function pathOf(id: string): string {
  return id.replace(/\?.*$/, '')
}

/** The extensions that CommonJS and TypeScript add to a name. */
const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'] as const

/** Reads the wanted file from `Cannot find module './louder'` and the stack of the requiring modules. */
function wantedByRequire(error: unknown): readonly string[] {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, requireStack } = at as Error & { readonly code?: unknown; readonly requireStack?: unknown }
    const [, wanted] = /Cannot find module '([^']+)'/.exec(at.message) ?? []
    if (code !== 'MODULE_NOT_FOUND' || wanted === undefined || !Array.isArray(requireStack)) continue
    const [from] = requireStack as readonly unknown[]
    if (typeof from !== 'string' || !/^\.{0,2}[\\/]/.test(wanted)) continue
    const path = resolve(dirname(pathOf(from)), wanted)
    return EXTENSIONS.map(extension => path + extension)
  }
  return []
}
