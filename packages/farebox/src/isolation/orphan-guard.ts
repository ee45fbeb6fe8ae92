import { fork } from 'node:child_process'
import { GUARD_PROGRAM, nodeOptions } from './programs.ts'

/** A process that ends what this one leaves behind, should it be killed. */
export interface Guard {
  watch(pid: number): void
  /** It has ended: its number may be another process's soon. */
  forget(pid: number): void
  close(): void
}

/** Starts the guard. Where it cannot be started, or is killed itself, all goes on without it. */
export function startOrphanGuard(): Guard {
  const child = fork(GUARD_PROGRAM, [], {
    execArgv: nodeOptions(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => undefined)
  child.unref()
  child.channel?.unref()
  const tell = (message: object): void => {
    if (child.connected) child.send(message, () => undefined)
  }
  return {
    watch: pid => tell({ watch: pid }),
    forget: pid => tell({ forget: pid }),
    close() {
      if (child.connected) child.disconnect()
    },
  }
}
