import { redactorOf } from '../environment/environment-redactor.ts'
import type { Agent } from '../agent/create-agent.ts'
import type { CommandWorld } from '../invocation/command-world.ts'
import { outliveReaders } from './outlive-readers.ts'

/**
 * Serves until the agent is asked to stop, or until code that a handler left running throws an error that is not caught
 * (DDL-09). In both cases the jobs in flight are finished (D32). Resolves to the exit code, 0 or 1.
 */
export async function serveUntilStopped(
  agent: Agent,
  stop: Promise<void>,
  { err, variables }: Pick<CommandWorld, 'err' | 'variables'>,
): Promise<0 | 1> {
  outliveReaders()
  const error = await Promise.race([stop, strayError()])
  if (error !== undefined)
    err.write(redactorOf(variables)(`✗ stopping: an uncaught error\n  ${error.stack ?? error.message}\n`))
  await agent.close()
  return error === undefined ? 0 : 1
}

/** Resolves with the first uncaught error: of a timer, an event, or a promise without a handler. */
function strayError(): Promise<Error> {
  return new Promise(resolve => {
    process.on('uncaughtException', resolve)
  })
}
