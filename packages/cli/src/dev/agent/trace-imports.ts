import { createRequire, register } from 'node:module'
import { dirname, resolve } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { HooksData } from './import-hooks.ts'

/** Watches which files of the project this process imports. */
export interface ImportTrace {
  begin(): void
  /**
   * What was imported, or looked for in vain, since the trace began: absolute paths, sorted.
   *
   * @param error with which the import failed, where it did: CommonJS tells by it what it looked for
   */
  files(error?: unknown): readonly string[]
  onImport(tell: (file: string) => void): void
}

/** The file beside this one, built or not. */
const HOOKS = import.meta.url.replace(/trace-imports(?=\.[jt]s$)/, 'import-hooks')

/**
 * Traces imports: of ES modules by a hook of `node:module`, of CommonJS by its cache. What is in `node_modules` does
 * not count. A loader of TypeScript is registered after this, so that each ending it tries is seen.
 *
 * @param parentPid the process without which this one has no purpose
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

/** What the hooks told before the import ended is here already, though no event has told it yet. */
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

/** A loader may have put a query behind the path. */
function pathOf(id: string): string {
  return id.replace(/\?.*$/, '')
}

/** How CommonJS would have completed the name, and TypeScript with it. */
const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'] as const

/** `Cannot find module './louder'`, with the stack of those who required it. */
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
