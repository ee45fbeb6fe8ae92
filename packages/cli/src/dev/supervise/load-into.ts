import type { AgentProcess, ExitStatus } from './agent-processes.ts'
import type { Failed, LoadCommand, Serving, Sources } from '../messages/messages.ts'

/** What became of a load. */
export type LoadOutcome =
  | Serving
  | Failed
  /** Its process ended; `ending` is undefined where it was given up instead. */
  | { readonly kind: 'ended'; readonly exit: ExitStatus | undefined; readonly sources: Sources }

/** Lets a process load what the order says. Resolves when it serves, when it cannot, and when the signal aborts. */
export function loadInto(
  child: AgentProcess,
  command: LoadCommand,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  return new Promise(resolve => {
    let sources: Sources = { files: [] }
    child.onReport(report => {
      if (report.kind === 'reading') sources = report.sources
      if (report.kind === 'serving' || report.kind === 'failed') resolve(report)
      if (report.kind === 'broken')
        resolve({ kind: 'failed', text: report.text, isPortTaken: false, sources })
    })
    void child.ended.then(exit => resolve({ kind: 'ended', exit, sources }))
    const giveUp = (): void => resolve({ kind: 'ended', exit: undefined, sources })
    signal.addEventListener('abort', giveUp, { once: true })
    child.send(command)
  })
}
