import { readFileSync } from 'node:fs'
import type { StartDatabase } from '@farebox/server/internal/postgres/start-own-database'
import { runProgram } from '@farebox/server/internal/program/run-program'
import { runServer } from '@farebox/server/internal/run-server'
import { describeFacilitator } from './describe-facilitator.ts'
import { facilitatorRedactor } from './environment-redactor.ts'
import { readFacilitatorEnvironment } from './read-environment.ts'
import { startFacilitator } from './start-facilitator.ts'

/**
 * Is the program `farebox-facilitator`: a facilitator as this process's environment describes it, until SIGTERM or
 * SIGINT. Says `"event":"listening"` with its URL once it answers; logs are JSON lines on stdout. With words behind its
 * name it shows its help, or runs a command.
 *
 * @param startDatabase - brings a database where DATABASE_URL is unset; without it that variable is required
 * @returns the exit code: 0 after it was told to stop, 1 where it did not start and has said why, 2 for words that it
 *   does not know
 */
export async function runFacilitator(startDatabase?: StartDatabase): Promise<number> {
  return await runProgram(describeFacilitator(), process.argv.slice(2), () => serve(startDatabase))
}

async function serve(startDatabase: StartDatabase | undefined): Promise<number> {
  return await runServer({
    name: 'facilitator',
    read: () =>
      readFacilitatorEnvironment(
        { variables: process.env, readFile: path => readFileSync(path, 'utf8') },
        { bringsDatabase: startDatabase !== undefined },
      ),
    hide: facilitatorRedactor,
    start: (environment, log) => startFacilitator(environment, log, startDatabase),
  })
}
