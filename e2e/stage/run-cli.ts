import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { pathWithoutFarebox } from '@farebox/cli/src/testing/path-without-farebox'

/** The built command line. */
export const CLI_PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/farebox-cli.js', import.meta.url))

/** The output of a command, and how it ended. */
export interface CliRun {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A running command. */
export interface RunningCli {
  readonly ended: Promise<CliRun>
  kill(signal: NodeJS.Signals): void
}

/** Starts the built `farebox` command line in its own process, without a terminal. */
export function startCli(
  words: readonly string[],
  options: { readonly folder: string; readonly environment?: { readonly [name: string]: string } },
): RunningCli {
  const child = spawn(process.execPath, [CLI_PROGRAM, ...words], {
    cwd: options.folder,
    env: { PATH: pathWithoutFarebox(), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text))
  return {
    ended: new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', code => resolve({ code, ...said }))
    }),
    kill: signal => void child.kill(signal),
  }
}
