import type { ChildExit } from '@farebox/local/src/processes/child-process'
import type { ProcessRun } from './managed-process.ts'

/** The life of an agent or a facilitator: one process, without children. */
export function processRunOf(running: {
  readonly pid: number
  readonly exited: Promise<ChildExit>
  stop(): Promise<unknown>
}): ProcessRun {
  const { pid, exited } = running
  return {
    pid,
    exited,
    stop: () => running.stop(),
    async kill() {
      // Gone already where it ended in this very moment: then the system knows no such process.
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Nothing to kill.
      }
      await exited
    },
  }
}
