import { fork } from 'node:child_process'
import { GUARD_PROGRAM, nodeOptions } from './programs.ts'

/** A process that ends what this one leaves behind, should it be killed. */
export interface Guard {
  /**
   * Resolves once it watches the process, or cannot be asked to. What is sent to it while it starts is lost if this process
   * ends then: until here the process must not be given anything that may block it.
   */
  watch(pid: number): Promise<void>
  /** It has ended: its number may be another process's soon. */
  forget(pid: number): void
  close(): void
}

const PATIENCE_MS = 30_000

/** Starts the guard. Where it cannot be started, or is killed itself, all goes on without it. */
export function startOrphanGuard(): Guard {
  const child = fork(GUARD_PROGRAM, [], {
    execArgv: nodeOptions(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const asked = new Map<number, () => void>()
  const letGo = (): void => {
    for (const resolve of asked.values()) resolve()
    asked.clear()
  }
  child.on('error', letGo)
  child.on('disconnect', letGo)
  child.on('message', message => {
    const { watched } = message as { readonly watched?: unknown }
    if (typeof watched !== 'number') return
    asked.get(watched)?.()
    asked.delete(watched)
  })
  child.unref()
  child.channel?.unref()
  const tell = (message: object): void => {
    if (child.connected) child.send(message, () => undefined)
  }
  return {
    watch: pid =>
      new Promise(resolve => {
        if (!child.connected) return resolve()
        // One that lives and says nothing must not keep jobs from being done.
        const timer = setTimeout(resolve, PATIENCE_MS)
        timer.unref()
        asked.set(pid, () => {
          clearTimeout(timer)
          resolve()
        })
        tell({ watch: pid })
      }),
    forget: pid => tell({ forget: pid }),
    close() {
      if (child.connected) child.disconnect()
    },
  }
}
