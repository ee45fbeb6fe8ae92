import { explainFailure } from '../invocation/explain-failure.ts'
import { findCli } from './hand-over.ts'
import { helpAlone, refuseAlone } from './help-alone.ts'
import { ownVersion } from './own-version.ts'
import { RUNTIME_COMMANDS } from './runtime-commands.ts'

/**
 * Handles every call of the program `farebox` that does not run one of its own commands: their help, the version, and
 * the commands of `@farebox/cli`, to which the call is passed on when it is installed. Resolves to the exit code.
 */
export async function runOther(command: string, args: readonly string[]): Promise<number> {
  const own = RUNTIME_COMMANDS.find(({ name }) => name === command)
  if (own !== undefined) return say(own.help)
  if (['--version', '-V', '-v'].includes(command)) return say(`${ownVersion()}\n`)
  try {
    const runCli = await findCli(process.cwd())
    if (runCli !== undefined) return await runCli(command === '' ? ['--help'] : [command, ...args])
  } catch (error) {
    process.stderr.write(explainFailure(error))
    return 1
  }
  if (['', 'help', '--help', '-h'].includes(command))
    return say(RUNTIME_COMMANDS.find(({ name }) => name === args[0])?.help ?? helpAlone())
  process.stderr.write(refuseAlone(command))
  return 2
}

function say(text: string): 0 {
  process.stdout.write(text)
  return 0
}
