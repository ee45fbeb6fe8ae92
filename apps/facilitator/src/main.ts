import { readFileSync } from 'node:fs'
import { describeError, createJsonLog } from '@farebox/facilitator/log'
import { systemClock } from '@farebox/facilitator/clock'
import { EnvironmentError, readEnvironment, type FacilitatorEnvironment } from './read-environment.ts'
import { startFacilitator } from './start-facilitator.ts'

/**
 * `node dist/main.js`: the facilitator as a process. Says `"event":"listening"` when it answers; SIGTERM ends
 * it.
 */
const log = createJsonLog(line => process.stdout.write(`${line}\n`), systemClock.nowMs)

async function main(): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  const running = await startFacilitator(readOwnEnvironment(), log)
  if (!stopping.signal.aborted) {
    await new Promise<void>(resolve =>
      stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
    )
  }
  log.info('stopping')
  await running.stop()
  log.info('stopped')
}

function readOwnEnvironment(): FacilitatorEnvironment {
  return readEnvironment({ variables: process.env, readFile: path => readFileSync(path, 'utf8') })
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    // A wrong variable is said plainly; anything else with all we know of it.
    if (error instanceof EnvironmentError) process.stderr.write(`${error.message}\n`)
    else log.error('the facilitator did not start', { error: describeError(error) })
    process.exit(1)
  },
)
