import { redactorOf } from '../environment/environment-redactor.ts'
import type { Agent } from '../agent/create-agent.ts'
import type { CommandWorld } from '../invocation/command-world.ts'
import { outliveReaders } from './outlive-readers.ts'

/**
 * Lets an agent serve until it is asked to stop, or until something that a handler left behind throws with nobody
 * to catch it (DDL-09). Jobs in flight are finished in both cases (D32). Resolves to the exit code: 0, or 1.
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

/** Resolves with the first error thrown outside every job: a timer, an event, a promise that a handler forgot. */
function strayError(): Promise<Error> {
  return new Promise(resolve => {
    process.on('uncaughtException', resolve)
  })
}
