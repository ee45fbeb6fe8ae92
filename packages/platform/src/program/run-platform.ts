import { readFileSync } from 'node:fs'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { StartDatabase } from '@farebox/server/internal/postgres/start-own-database'
import { runProgram } from '@farebox/server/internal/program/run-program'
import { runServer } from '@farebox/server/internal/run-server'
import { describePlatform } from './describe-platform.ts'
import { redactorOf } from './environment-redactor.ts'
import { readEnvironment } from './read-environment.ts'
import { startPlatform } from './start-platform.ts'

/**
 * Runs the program `farebox-platform`: a platform with this process's environment, until SIGTERM or SIGINT. It logs
 * `"event":"listening"` with its URL once it accepts requests; logs are JSON lines on stdout. With arguments it shows
 * its help or runs a command.
 *
 * @param startDatabase - starts a database when DATABASE_URL is unset; without it that variable is required
 * @returns the exit code: 0 after it was stopped, 1 when it did not start and has reported why, 2 for unknown arguments
 */
export async function runPlatform(startDatabase?: StartDatabase): Promise<number> {
  return await runProgram(describePlatform(), process.argv.slice(2), () => serve(startDatabase))
}

async function serve(startDatabase: StartDatabase | undefined): Promise<number> {
  return await runServer({
    name: 'platform',
    read: async () =>
      readEnvironment(
        { variables: process.env, readFile: path => readFileSync(path, 'utf8') },
        await loadEvmCrypto(),
        { bringsDatabase: startDatabase !== undefined },
      ),
    hide: redactorOf,
    start: (environment, log) => startPlatform(environment, log, startDatabase),
  })
}
