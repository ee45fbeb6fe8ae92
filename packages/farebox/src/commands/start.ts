import { findHandlers, loadHandlers } from '../config/load-handlers.ts'
import { readConfig } from '../config/read-config.ts'
import { createAgent, type Agent } from '../create-agent.ts'
import { explainFailure, readOptions } from './command-options.ts'

/**
 * `farebox start`: serves the agent until it is told to stop. Exit code 0 after a graceful stop (D32), 1 where it
 * cannot start, and after something that a handler left behind threw with nobody to catch it (DDL-09): jobs in
 * flight are finished first, and whatever runs the process starts it anew.
 */
export async function startCommand(words: readonly string[]): Promise<number> {
  try {
    const options = readOptions(words)
    const declaration = await readConfig(options.config)
    const handlers = await loadHandlers(options.handlers ?? (await findHandlers(options.config)))
    const variables = options.port === undefined ? process.env : { ...process.env, PORT: options.port }
    const agent = await createAgent({ declaration, handlers, variables })
    const stop = stopRequested()
    const broken = strayError()
    const port = await agent.listen(options.host === undefined ? {} : { host: options.host })
    process.stdout.write(startedLine(agent, port))
    const error = await Promise.race([stop, broken])
    if (error !== undefined)
      process.stderr.write(`✗ stopping: an error nobody caught\n  ${error.stack ?? error.message}\n`)
    await agent.close()
    return error === undefined ? 0 : 1
  } catch (error) {
    process.stderr.write(explainFailure(error))
    return 1
  }
}

/** For people a line; for programs, with SERVICE_LOG=json, the event that says where it listens. */
function startedLine({ declaration, environment }: Agent, port: number): string {
  const url = `http://localhost:${port}`
  if (environment.logFormat === 'json')
    return `${JSON.stringify({ level: 'info', event: 'listening', name: declaration.name, url })}\n`
  const mode = environment.devMode
    ? 'dev mode: payments are off'
    : `paid to ${declaration.wallet} on ${environment.network.name} (${environment.network.id})`
  return `${declaration.name}   ${url}   ${mode}\n`
}

/** Resolves at the first SIGTERM or SIGINT; a second one, of either, ends the process at once, as people expect. */
function stopRequested(): Promise<undefined> {
  return new Promise(resolve => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1)
        asked = true
        resolve(undefined)
      })
    }
  })
}

/** Resolves with the first error thrown outside every job: a timer, an event, a promise that a handler forgot. */
function strayError(): Promise<Error> {
  // Whoever read our output may be gone; that is no reason to leave jobs unfinished.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  return new Promise(resolve => {
    process.on('uncaughtException', resolve)
  })
}
