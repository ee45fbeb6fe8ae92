import { printable } from '@farebox/conformance/internal/printable'
import cluster from 'node:cluster'
import { once } from 'node:events'
import inspector from 'node:inspector'
import { explainFailure, loadHandlers, redactorOf } from 'farebox/internal/command-line'
import { paintFor } from '../../terminal/text.ts'
import { type DeadlineGuard, startDeadlineGuard } from './deadline-guard.ts'
import { CannotListen, loadAgent, type LoadedAgent, type LoadProgress } from './load-agent.ts'
import type { DevCommand, LoadAgentCommand, Report, Sources } from '../messages/messages.ts'
import type { ImportTrace } from './trace-imports.ts'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { typesFileName } from './describe-samples.ts'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { createAgent } from 'farebox'
import { DEV_WALLET } from '../messages/dev-variables.ts'

export interface CommandReceiver {
  receive(command: DevCommand): void
  /** Ends the process when the running jobs are answered; timers and sockets left by handlers are ignored (D32). */
  leave(hasSuccessor: boolean): Promise<void>
}

/** Executes the commands during the life of a process: one load, until it is asked to leave. */
export function receiveCommands(trace: ImportTrace, report: (report: Report) => void): CommandReceiver {
  let preparing: Promise<void> = Promise.resolve()
  let loaded: LoadedAgent | undefined
  let guard: DeadlineGuard | undefined
  let isLeaving = false

  async function load(command: LoadAgentCommand): Promise<void> {
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
    // The types are written after the report, because the report must not wait for them.
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

/** How long the watching process may take to confirm that it sends no more connections. */
const HAND_BACK_MS = 2_000

/**
 * The watching process assigns connections before it knows that this process accepts no more. Connections that are still
 * on their way are handed back, to go to the successor. If this process ended at once, their callers would wait forever.
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

/** Formats an error without the leading cross, which the screen adds. */
function explain(error: unknown, screen: LoadAgentCommand): string {
  const paint = paintFor(screen)
  const text = redactorOf(process.env)(explainFailure(error, paint)).trimEnd()
  const cross = `${paint.red('✗')} `
  return text.startsWith(cross) ? text.slice(cross.length) : text
}

/**
 * Describes an error that was thrown outside a job, with the stack lines that its author can act on. Its message may quote
 * text from a caller.
 */
export function describeStray(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = text.split('\n').filter(line => !/^\s+at .*\(?node:/.test(line))
  return ['an uncaught error', ...lines.map(line => `  ${printable(line)}`)].join('\n')
}

/**
 * Writes `agent.d.ts` again when the project uses it, that is, when it exists or the handlers are TypeScript. Never
 * rejects: the types are a convenience, and the agent runs without them.
 *
 * @returns a report, if there is anything to report
 */
async function keepTypes(
  config: string,
  declaration: Declaration,
  handlers: string | undefined,
): Promise<Report | undefined> {
  const folder = dirname(config)
  const isWanted =
    existsSync(join(folder, typesFileName(config))) ||
    (handlers === undefined ? existsSync(join(folder, 'tsconfig.json')) : /\.[mc]?ts$/.test(handlers))
  if (!isWanted) return undefined
  try {
    const { writeTypes } = await import('../../types/write-types.ts')
    const { file, changed } = await writeTypes({ config, declaration })
    return changed ? { kind: 'typed', file } : undefined
  } catch (error) {
    return { kind: 'not typed', reason: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Performs once, on generated data, the operations that are slow the first time: starting the TypeScript loader with its
 * compiler, and compiling the runtime's code. Never fails; a failed warm-up only makes the first use slower.
 */
async function warmUp(): Promise<void> {
  // The text is unique, because a text in the loader's cache would not start the compiler.
  const file = join(tmpdir(), `farebox-warm-${process.pid}-${performance.now()}.mts`)
  try {
    await writeFile(file, `export default (input: object): object => ({ ...input, at: '${file}' })\n`)
    const handlers = await loadHandlers(file)
    const agent = await createAgent({
      declaration: DECLARATION,
      handlers,
      variables: VARIABLES,
      ports: { log: SILENT },
    })
    await agent.close()
  } catch {
    // The error is reported when it occurs in real use.
  } finally {
    await rm(file, { force: true }).catch(() => undefined)
  }
}

const VARIABLES = { SERVICE_DEV_MODE: 'true', SERVICE_STORE: 'memory:', AGENT_WALLET_ADDRESS: DEV_WALLET }

const SILENT = { job() {}, note() {}, warn() {}, flush() {} }

const DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Warm',
  description: '',
  wallet: DEV_WALLET,
  max_deadline_seconds: 1,
  capabilities: {
    warm: {
      description: '',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string' } },
      output_schema: { at: { type: 'string' } },
    },
  },
}
