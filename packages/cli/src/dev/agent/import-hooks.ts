// Runs on Node's thread for module hooks in the agent process. It has no imports, because it is the first module loaded
// there.
import type { ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { MessagePort } from 'node:worker_threads'

export interface HooksData {
  readonly port: MessagePort
  readonly parentPid: number
}

let port: MessagePort | undefined

/** Called once, before the first hook. */
export function initialize(data: HooksData): void {
  port = data.port
  endWithParent(data.parentPid)
}

/** Passes every resolution on, and reports the resolved file or the one that was not found. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    const resolved = await nextResolve(specifier, context)
    tell(resolved.url)
    return resolved
  } catch (error) {
    tell(wantedUrl(specifier, context.parentURL))
    throw error
  }
}

/** Reports only files of the project, because installed packages do not change during development. */
function tell(url: string | undefined): void {
  if (url === undefined || !url.startsWith('file:') || url.includes('/node_modules/')) return
  try {
    port?.postMessage(fileURLToPath(url.replace(/[?#].*$/, '')))
  } catch {
    // Not a path on this system, so there is nothing to watch.
  }
}

function wantedUrl(specifier: string, parentUrl: string | undefined): string | undefined {
  if (!/^(?:\.{0,2}\/|file:)/.test(specifier)) return undefined
  try {
    return new URL(specifier, parentUrl).href
  } catch {
    return undefined
  }
}

const LOOK_EVERY_MS = 1_000

/**
 * Ends a process whose parent has ended. The agent's main thread notices the closed channel, unless a handler blocks that
 * thread forever; this thread is never blocked.
 */
function endWithParent(parentPid: number): void {
  setInterval(() => {
    if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
  }, LOOK_EVERY_MS).unref()
}
