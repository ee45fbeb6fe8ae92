import { readFileSync } from 'node:fs'
import type { StartDatabase } from '@farebox/server/internal/postgres/start-own-database'
import { runProgram } from '@farebox/server/internal/program/run-program'
import { runServer } from '@farebox/server/internal/run-server'
import { describeFacilitator } from './describe-facilitator.ts'
import { facilitatorRedactor } from './environment-redactor.ts'
import { readFacilitatorEnvironment } from './read-environment.ts'
import { startFacilitator } from './start-facilitator.ts'

/**
 * Runs the program `farebox-facilitator`: a facilitator configured by the environment of the process, until SIGTERM or
 * SIGINT. It logs `"event":"listening"` with its URL once it serves requests; logs are JSON lines on stdout. With
 * command-line arguments it shows its help or runs a command.
 *
 * @param startDatabase - starts a database when DATABASE_URL is unset; without it that variable is required
 * @returns the exit code: 0 after it was stopped, 1 when it did not start and logged the reason, 2 for arguments that it
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
