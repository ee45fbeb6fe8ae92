import { recordSpans } from '@farebox/protocol/internal/trace/record-spans'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { EnvironmentError } from './environment.ts'
import { createJsonLog, describeError, type Log } from './log.ts'
import { createLineWriter } from './write-lines.ts'

/** A running server with its dependencies. */
export interface RunningServer {
  readonly url: string
  /** Makes `/ready` answer 503, and each answer the last one of its connection. */
  drain(): void
  /** Completes the requests in flight, then stops everything that was started. */
  stop(): Promise<void>
}

/** The settings that every server program has. */
export interface ServerEnvironment {
  /** How long requests are still taken after a stop was requested. */
  readonly drainSeconds: number
}

/** A server program: how its environment is read, and how it is started. */
export interface ServerProgram<Environment extends ServerEnvironment> {
  /** Its name for operators: `facilitator`. */
  readonly name: string
  /** Throws {@link EnvironmentError} for a missing or invalid variable. */
  read(): Environment | Promise<Environment>
  /** Redacts the secrets of the environment from a text before it leaves the process (OPS-08). */
  hide(environment: Environment): (text: string) => string
  start(environment: Environment, log: Log): Promise<RunningServer>
}

/**
 * Runs a server until SIGTERM or SIGINT; logs are JSON lines on stdout.
 *
 * @returns the exit code: 0 after it was stopped, 1 when it did not start and logged the reason
 */
export async function runServer<Environment extends ServerEnvironment>(
  program: ServerProgram<Environment>,
): Promise<number> {
  const stopRequested = new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  try {
    const environment = await program.read()
    return await serve(program, environment, openLog(program.hide(environment)), stopRequested)
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error
    // Invalid variables are reported as plain text.
    process.stderr.write(explain(error))
    return 1
  }
}

function explain({ problems }: EnvironmentError): string {
  if (problems.length === 1) return `${problems.join('')}\n`
  return `${problems.length} variables are missing or wrong\n${problems.map(problem => `  ${problem}\n`).join('')}`
}

/** Opens the log, and logs uncaught errors in place of Node, which would print the error with all its properties. */
function openLog(hide: (text: string) => string): Log {
  const write = createLineWriter(text => void process.stdout.write(text))
  const log = createJsonLog(write, systemClock.nowMs, hide)
  process.on('uncaughtException', error => {
    log.error('stopping: an uncaught error', { error: describeError(error), stack: error.stack })
    process.exit(1)
  })
  return log
}

async function serve<Environment extends ServerEnvironment>(
  { name, start }: ServerProgram<Environment>,
  environment: Environment,
  log: Log,
  stopRequested: Promise<void>,
): Promise<number> {
  const flushSpans = await recordSpans()
  try {
    const running = await start(environment, log)
    await stopRequested
    log.info('stopping')
    if (environment.drainSeconds > 0) {
      running.drain()
      await sleep(systemClock, environment.drainSeconds * 1_000)
    }
    await running.stop()
    await flushSpans()
    log.info('stopped')
    return 0
  } catch (error) {
    if (error instanceof EnvironmentError) throw error
    log.error(`the ${name} did not start`, { error: describeError(error) })
    return 1
  }
}
