import { fork } from 'node:child_process'
import { GUARD_PROGRAM, nodeOptions } from './programs.ts'

/** A process that kills the handler processes of this one if this one is killed. */
export interface Guard {
  /**
   * Resolves when the guard watches the process, or cannot be asked to. A message to a guard that is still starting is
   * lost if this process ends, so the watched process must not be given work that may block it until this resolves.
   */
  watch(pid: number): Promise<void>
  /** Stops watching a process that has ended, because its pid may be reused. */
  forget(pid: number): void
  close(): void
}

const PATIENCE_MS = 30_000

/** Starts the guard. If it cannot be started, or is killed itself, the agent works without it. */
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
        // A guard that runs but does not answer must not block jobs.
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
