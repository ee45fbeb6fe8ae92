// Runs on Node's thread for module hooks, beside the agent process. Without imports of its own: it is the first thing
// loaded there.
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

/** Passes every resolution on and tells which file came out, or which one was looked for in vain. */
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

/** Only files of the project: what is installed does not change under one's hands. */
function tell(url: string | undefined): void {
  if (url === undefined || !url.startsWith('file:') || url.includes('/node_modules/')) return
  try {
    port?.postMessage(fileURLToPath(url.replace(/[?#].*$/, '')))
  } catch {
    // Not a path on this system: nothing that could be watched.
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
 * A program that was started by a process that is gone has no owner. The agent's own thread learns of it by its closed
 * channel, unless a handler blocks that thread for ever; this one is free to look.
 */
function endWithParent(parentPid: number): void {
  setInterval(() => {
    if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
  }, LOOK_EVERY_MS).unref()
}
