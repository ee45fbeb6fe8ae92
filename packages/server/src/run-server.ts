import { systemClock } from '@farebox/protocol/time/clock'
import { EnvironmentError } from './environment.ts'
import { createJsonLog, describeError, type Log } from './log.ts'
import { createLineWriter } from './write-lines.ts'

/** A server with all that it needs. */
export interface RunningServer {
  readonly url: string
  /** Answers what is in flight, then stops everything that was started. */
  stop(): Promise<void>
}

/** A server as a program: what its environment says, and how it is started by that. */
export interface ServerProgram<Environment> {
  /** As an operator calls it: `facilitator`. */
  readonly name: string
  /** Throws {@link EnvironmentError} for a variable that is missing or wrong. */
  read(): Environment | Promise<Environment>
  /** Hides what the environment says in confidence, before a text leaves the process (OPS-08). */
  hide(environment: Environment): (text: string) => string
  start(environment: Environment, log: Log): Promise<RunningServer>
}

/**
 * Runs a server until SIGTERM or SIGINT; logs are JSON lines on stdout.
 *
 * @returns the exit code: 0 after it was stopped, 1 where it did not start and has said why
 */
export async function runServer<Environment>(program: ServerProgram<Environment>): Promise<number> {
  const stopRequested = new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  try {
    const environment = await program.read()
    return await serve(program, environment, openLog(program.hide(environment)), stopRequested)
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error
    // Wrong variables are said plainly.
    process.stderr.write(explain(error))
    return 1
  }
}

function explain({ problems }: EnvironmentError): string {
  if (problems.length === 1) return `${problems.join('')}\n`
  return `${problems.length} variables are missing or wrong\n${problems.map(problem => `  ${problem}\n`).join('')}`
}

/** Also writes down what nobody caught, in place of Node, which would show the error with everything that hangs on it. */
function openLog(hide: (text: string) => string): Log {
  const write = createLineWriter(text => void process.stdout.write(text))
  const log = createJsonLog(write, systemClock.nowMs, hide)
  process.on('uncaughtException', error => {
    log.error('stopping: an uncaught error', { error: describeError(error), stack: error.stack })
    process.exit(1)
  })
  return log
}

async function serve<Environment>(
  { name, start }: ServerProgram<Environment>,
  environment: Environment,
  log: Log,
  stopRequested: Promise<void>,
): Promise<number> {
  try {
    const running = await start(environment, log)
    await stopRequested
    log.info('stopping')
    await running.stop()
    log.info('stopped')
    return 0
  } catch (error) {
    if (error instanceof EnvironmentError) throw error
    log.error(`the ${name} did not start`, { error: describeError(error) })
    return 1
  }
}
