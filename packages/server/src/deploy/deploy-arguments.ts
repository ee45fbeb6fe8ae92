import { createInterface } from 'node:readline/promises'
import { EnvironmentError, readKey, type EnvironmentSource, type ReadVariable } from '../environment.ts'
import { shownArgument, USAGE_EXIT_CODE, type ProgramScreen } from '../program/run-program.ts'
import { showVariables, table } from '../program/show-help.ts'
import type { VariablesHelp } from '../program/variables.ts'

/** The arguments of a command that deploys a contract. */
export interface DeployArguments {
  readonly isDryRun: boolean
  /** Skip the confirmation. */
  readonly isAgreed: boolean
  readonly isJson: boolean
}

/** The variables for the deployer's account. */
export const DEPLOYER_VARIABLES = {
  DEPLOYER_PRIVATE_KEY: {
    meaning: 'the account that pays for the deployment and has no rights over the contract afterwards',
  },
  DEPLOYER_PRIVATE_KEY_FILE: { meaning: 'a file with that key, which keeps it out of process listings' },
} as const satisfies VariablesHelp

const OPTIONS = [
  ['--dry-run', 'show address and cost, and send nothing'],
  ['--yes', 'confirm the cost without being asked; required without a terminal'],
  ['--json', 'one JSON document on stdout; everything else on stderr'],
  ['--help', 'this help'],
] as const

/** The key from `DEPLOYER_PRIVATE_KEY` or its file; never from the command line. */
export function readDeployerKey(source: EnvironmentSource, read: ReadVariable): string | undefined {
  return readKey('DEPLOYER_PRIVATE_KEY', source, read)
}

/**
 * Parses the arguments of a command that deploys a contract. Help and invalid arguments are answered here.
 *
 * @param name - full name with the program's: `farebox-platform deploy-registry`
 * @returns the exit code when the command is finished
 */
export function parseDeployArguments(
  args: readonly string[],
  {
    name,
    summary,
    variables,
  }: { readonly name: string; readonly summary: string; readonly variables: VariablesHelp },
  screen: ProgramScreen,
): DeployArguments | number {
  if (args.includes('--help') || args.includes('-h')) {
    const lines = [`${name}   ${summary}`, '', 'Options', ...table(OPTIONS, screen.columns), '']
    lines.push('Environment', ...showVariables(variables, screen.columns), '', EXIT_CODES, '')
    screen.out(lines.join('\n'))
    return 0
  }
  const unknown = args.find(word => !OPTIONS.some(([option]) => option === word))
  if (unknown !== undefined) {
    const isKey = unknown.startsWith('-') ? '' : '; a key is read from DEPLOYER_PRIVATE_KEY or its file alone'
    screen.err(`✗ there is no option ${shownArgument(unknown)}${isKey}\n  ${name} --help lists the options\n`)
    return USAGE_EXIT_CODE
  }
  const has = (option: string): boolean => args.includes(option)
  return { isDryRun: has('--dry-run'), isAgreed: has('--yes'), isJson: has('--json') }
}

/** The exit code when the deployment was sent but is not mined yet. */
export const OPEN_EXIT_CODE = 3

const EXIT_CODES = `Exit codes
  0  it is there                     2  the command was not understood, or nobody could be asked
  1  it is not, and why was said     3  sent, and in no block yet: run the same command again`

/**
 * Asks for confirmation on the terminal; without a terminal, `--yes` is required.
 *
 * @throws {EnvironmentError} when there is no terminal
 */
export async function confirmOnTerminal(question: string, { isAgreed }: DeployArguments): Promise<boolean> {
  if (isAgreed) return true
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new EnvironmentError('there is no terminal to ask on: give --yes to confirm; nothing was sent')
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} (y/N) `)).trim())
  } finally {
    terminal.close()
  }
}
