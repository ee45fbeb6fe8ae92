import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import {
  type Agent,
  type Clock,
  createAgent,
  createLog,
  type Log,
  type LogFields,
  readConfig,
  systemClock,
} from 'farebox'
import {
  ExplainedError,
  explainListenError,
  explainMismatch,
  findHandlers,
  handlerPlaces,
  HandlersMissing,
  loadHandlers,
  readDotEnv,
  redactorOf,
} from 'farebox/internal/command-line'
import { type ScreenPaint, paintFor } from '../../terminal/text.ts'
import { describeCapabilities } from '../messages/describe-agent.ts'
import { describeSamples, fillWithSamples, typesFileName } from './describe-samples.ts'
import { type DevVariables, withWallet } from '../messages/dev-variables.ts'
import type { Description, JobEvent, LoadAgentCommand } from '../messages/messages.ts'
import type { DeadlineGuard } from './deadline-guard.ts'
import { payNext, tryNext } from './try-next.ts'

export interface LoadedAgent {
  readonly agent: Agent
  readonly port: number
  readonly logFormat: 'text' | 'json'
  readonly description: Description
}

/** The progress of a load. A failed load has also read files that a person can fix. */
export interface LoadProgress {
  /** Files read or looked for so far, without imports. */
  readonly files: string[]
  declaration?: Declaration
  handlers?: string
}

export interface LoadListener {
  reading(): void
  /** Watches the handlers while they run; `undefined` when a debugger may pause them. */
  readonly guard: DeadlineGuard | undefined
  job(event: JobEvent): void
}

/**
 * Reads the environment, the config and the handlers, creates the agent and makes it listen. Throws the errors of the
 * runtime, which `explainFailure` explains.
 *
 * @param progress updated during the load
 */
export async function loadAgent(
  command: LoadAgentCommand,
  progress: LoadProgress,
  listener: LoadListener,
): Promise<LoadedAgent> {
  const variables = await readVariables(command, progress)
  progress.files.push(command.config)
  const declaration = await readConfig(relative(command.folder, command.config))
  progress.declaration = declaration
  const found = await findFile(command, progress)
  listener.reading()
  const given = found === undefined ? undefined : await loadHandlers(found)
  const { handlers, sampled } = fillWithSamples(declaration, given)
  const logFormat = variables['SERVICE_LOG'] === 'json' ? 'json' : 'text'
  listener.guard?.setFormat(logFormat)
  const log = createLog({
    format: logFormat,
    write: lines => process.stdout.write(lines),
    nowMs: () => systemClock.nowMs(),
    hide: redactorOf(variables),
  })
  const paid = withWallet(variables, declaration.wallet)
  const agent = await createAgent({
    declaration,
    // The exports are passed on unchanged: the runtime reports what is wrong with them.
    handlers: (listener.guard?.watch(handlers) ?? handlers) as never,
    variables: paid.variables,
    // A process in development is replaced with each save.
    isolation: 'none',
    ports: {
      log: createReportingLog(log, systemClock, {
        report: command.reportsJobs ? listener.job : undefined,
        isText: logFormat === 'text',
      }),
    },
  }).catch(async (error: unknown) => {
    throw found === undefined ? error : await explainMismatch(error, found, command.folder)
  })
  const port = await listen(agent, command)
  const description = describe(agent, { command, port, sampled, handlers: found, isNamed: paid.isNamed })
  return { agent, port, logFormat, description }
}

/**
 * D30: reads `.env` beside the config; it never overrides the real environment. The handlers see the same variables as the
 * agent.
 */
async function readVariables(command: LoadAgentCommand, progress: LoadProgress): Promise<DevVariables> {
  progress.files.push(join(dirname(command.config), '.env'))
  const file = await readDotEnv(command.config, command.variables, command.folder)
  // The agent from before a save still uses the port of its metrics when the next one starts.
  const metricsOff = { SERVICE_METRICS_PORT: '' }
  const variables = { ...file?.variables, ...command.variables, ...command.forced, ...metricsOff }
  Object.assign(process.env, variables)
  return variables
}

/** Finds the file of handlers; `undefined` when there is none and samples may be used instead. */
async function findFile(command: LoadAgentCommand, progress: LoadProgress): Promise<string | undefined> {
  progress.files.push(
    ...(command.handlers === undefined ? handlerPlaces(command.config) : [command.handlers]),
  )
  try {
    const found = command.handlers ?? (await findHandlers(command.config))
    progress.handlers = found
    return found
  } catch (error) {
    if (command.samplesAllowed && error instanceof HandlersMissing) return undefined
    throw error
  }
}

/** Thrown when the agent is valid but cannot listen on its address. */
export class CannotListen extends ExplainedError {
  override readonly name = 'CannotListen'
}

async function listen(
  agent: Agent,
  { port = agent.environment.port, host }: LoadAgentCommand,
): Promise<number> {
  try {
    return await agent.listen({
      port: port === 0 ? await findFreePort(host) : port,
      host,
      // Otherwise any page in the developer's browser could run the handlers.
      thisMachineOnly: true,
    })
  } catch (error) {
    const explained = await explainListenError(error, { port, host })
    if (!(explained instanceof ExplainedError)) throw error
    throw new CannotListen(explained.message, explained.hint, { cause: error })
  }
}

/**
 * Returns a concrete port number, so that the next process can request the same port: `node:cluster` identifies a shared
 * port by its number.
 */
async function findFreePort(host: string): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ port: 0, host, exclusive: true }, resolve)
  })
  const address = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

function describe(
  { declaration, environment }: Agent,
  made: {
    readonly command: LoadAgentCommand
    readonly port: number
    readonly sampled: readonly string[]
    readonly handlers: string | undefined
    readonly isNamed: boolean
  },
): Description {
  const { command, port, sampled, handlers, isNamed } = made
  const screen = { columns: command.columns, paint: paintFor(command) }
  const url = urlOf(command.host, port)
  const types = typesFileName(command.config)
  return {
    name: declaration.name,
    url,
    mode: environment.devMode ? 'dev mode: payments are off' : 'payments are on, on a chain of this machine',
    wallet: declaration.wallet,
    capabilities: Object.keys(declaration.capabilities),
    lines: [
      ...describeCapabilities(declaration, screen),
      ...(isNamed ? [] : [describeWallet(declaration.wallet, screen.paint)]),
      ...command.heading,
    ],
    sampled,
    samples: describeSamples(declaration, { sampled, handlers, types, ...screen }),
    next: environment.devMode
      ? tryNext(declaration, url, randomUUID())
      : payNext(declaration, url, command.variables['FAREBOX_LOCAL']),
    ...(command.page !== undefined && { page: command.page }),
  }
}

function describeWallet(wallet: string, paint: ScreenPaint): string {
  const short = `${wallet.slice(0, 6)}…${wallet.slice(-4)}`
  return paint.dim(`  wallet ${short}, the dev wallet: AGENT_WALLET_ADDRESS is not set`)
}

/** The loopback address reaches a server on all addresses. An IPv6 address is put in brackets. */
function urlOf(host: string, port: number): string {
  const isAny = ['0.0.0.0', '::', ''].includes(host)
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/**
 * The agent's log in the form that `farebox dev` needs: events of jobs are also reported when requested, and lines that
 * repeat the heading are left out at restarts. A person reads the text form, of one agent: there a job's id leads through
 * its lines, and those of trace and payment would only make them long.
 */
function createReportingLog(
  log: Log,
  clock: Clock,
  { report, isText }: { readonly report: ((event: JobEvent) => void) | undefined; readonly isText: boolean },
): Log {
  const shown = (fields: LogFields = {}): LogFields => (isText ? withoutIds(fields) : fields)
  return {
    job(event, jobId, fields) {
      log.job(event, jobId, shown(fields))
      report?.({ event, jobId, fields: withoutIds(fields), atMs: clock.nowMs() })
    },
    note: (event, fields) => log.note(event, shown(fields)),
    warn(event, fields) {
      if (!event.startsWith('dev mode: ')) log.warn(event, shown(fields))
      // A problem with a job's payment is a warning that names the job.
      const jobId = fields?.['job']
      if (typeof jobId === 'string')
        report?.({ event, jobId, fields: withoutIds(fields), atMs: clock.nowMs() })
    },
    flush: () => log.flush(),
  }
}

function withoutIds({ trace: _trace, key: _key, ...fields }: LogFields = {}): LogFields {
  return fields
}
