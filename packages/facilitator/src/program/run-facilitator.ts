import { readFileSync } from 'node:fs'
import { systemClock } from '../clock.ts'
import { createJsonLog, describeError } from '../log.ts'
import { EnvironmentError, readEnvironment } from './read-environment.ts'
import { startFacilitator, type StartDatabase } from './start-facilitator.ts'

/**
 * Is the program `farebox-facilitator`: a facilitator as this process's environment describes it, until SIGTERM or
 * SIGINT. Says `"event":"listening"` with its URL once it answers; logs are JSON lines on stdout.
 *
 * @param startDatabase - brings a database where DATABASE_URL is unset; without it that variable is required
 * @returns the exit code: 0 after it was told to stop, 1 where it did not start and has said why
 */
export async function runFacilitator(startDatabase?: StartDatabase): Promise<number> {
  const log = createJsonLog(line => process.stdout.write(`${line}\n`), systemClock.nowMs)
  const stopRequested = new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  try {
    const environment = readEnvironment({
      variables: process.env,
      readFile: path => readFileSync(path, 'utf8'),
    })
    const running = await startFacilitator(environment, log, startDatabase)
    await stopRequested
    log.info('stopping')
    await running.stop()
    log.info('stopped')
    return 0
  } catch (error) {
    // A wrong variable is said plainly; anything else with all we know of it.
    if (error instanceof EnvironmentError) process.stderr.write(`${error.message}\n`)
    else log.error('the facilitator did not start', { error: describeError(error) })
    return 1
  }
}
