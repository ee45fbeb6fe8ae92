import cluster from 'node:cluster'
import { once } from 'node:events'
import inspector from 'node:inspector'
import { explainFailure, redactorOf } from 'farebox/internal/command-line'
import { paintFor } from '../../terminal/paint.ts'
import { startDeadlineGuard, type DeadlineGuard } from './deadline-guard.ts'
import { keepTypes } from './keep-types.ts'
import { CannotListen, loadAgent, type LoadedAgent, type LoadProgress } from './load-agent.ts'
import type { LoadCommand, DevCommand, Report, Sources } from '../messages/messages.ts'
import type { ImportTrace } from './trace-imports.ts'
import { warmUp } from './warm-up.ts'

/** What an agent process is told, and does. */
export interface CommandReceiver {
  receive(command: DevCommand): void
  /** Ends the process when the jobs in flight are answered; what the handlers left behind is left (D32). */
  leave(hasSuccessor: boolean): Promise<void>
}

/** Takes orders for the life of a process: one load, until it is told to leave. */
export function receiveCommands(trace: ImportTrace, report: (report: Report) => void): CommandReceiver {
  let preparing: Promise<void> = Promise.resolve()
  let loaded: LoadedAgent | undefined
  let guard: DeadlineGuard | undefined
  let isLeaving = false

  async function load(command: LoadCommand): Promise<void> {
    const progress: LoadProgress = { files: [] }
    trace.begin()
    try {
      loaded = await loadAgent(command, progress, {
        guard: inspector.url() === undefined ? (guard ??= startDeadlineGuard()) : undefined,
        reading: () => report({ kind: 'reading', sources: sourcesOf(progress, trace) }),
        job: event => report({ kind: 'job', event }),
      })
      const { port, logFormat, description } = loaded
      const isDebugged = inspector.url() !== undefined
      const sources = sourcesOf(progress, trace)
      const { declaration } = loaded.agent
      report({ kind: 'serving', port, logFormat, isDebugged, description, declaration, sources })
      trace.onImport(file => report({ kind: 'imported', files: [file] }))
    } catch (error) {
      const isPortTaken = error instanceof CannotListen
      const sources = sourcesOf(progress, trace, error)
      report({ kind: 'failed', text: explain(error, command), isPortTaken, sources })
    }
    // After the answer: nobody waits for types.
    if (progress.declaration === undefined) return
    const typed = await keepTypes(command.config, progress.declaration, progress.handlers)
    if (typed !== undefined) report(typed)
  }

  async function leave(hasSuccessor: boolean): Promise<void> {
    if (isLeaving) return
    isLeaving = true
    const closed = loaded?.agent.close({ successor: hasSuccessor })
    report({ kind: 'leaving' })
    await closed
    await handBackConnections()
    process.exit(0)
  }

  return {
    receive(command) {
      switch (command.kind) {
        case 'ping':
          return report({ kind: 'pong' })
        case 'warm':
          if (inspector.url() === undefined) guard ??= startDeadlineGuard()
          preparing = warmUp().then(() => report({ kind: 'warm' }))
          return
        case 'load':
          return void preparing.then(() => load(command))
        case 'leave':
          return void leave(command.hasSuccessor)
      }
    },
    leave,
  }
}

/** How long the watching process may take to say that nothing more is on its way here. */
const HAND_BACK_MS = 2_000

/**
 * The watching process gives connections out before it hears that nobody here takes them: what is still on its way is
 * handed back, to go to the successor. A process that just ended would leave its caller waiting for ever.
 */
async function handBackConnections(): Promise<void> {
  const { worker } = cluster
  if (worker === undefined || !worker.isConnected()) return
  const disconnected = once(worker, 'disconnect', { signal: AbortSignal.timeout(HAND_BACK_MS) })
  worker.disconnect()
  await disconnected.catch(() => undefined)
}

function sourcesOf({ files, handlers }: LoadProgress, trace: ImportTrace, error?: unknown): Sources {
  const all = [...new Set([...files, ...trace.files(error)])]
  return { files: all, ...(handlers !== undefined && { handlers }) }
}

/** Without the first cross: whoever tells it puts one before it. */
function explain(error: unknown, screen: LoadCommand): string {
  const paint = paintFor(screen)
  const text = redactorOf(process.env)(explainFailure(error, paint)).trimEnd()
  const cross = `${paint.red('✗')} `
  return text.startsWith(cross) ? text.slice(cross.length) : text
}
