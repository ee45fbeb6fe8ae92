import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { columns } from './command-help.ts'
import { RUNTIME_COMMANDS } from './runtime-commands.ts'

/** The commands of `@farebox/cli`, for the help and for errors when it is not installed. The CLI has its own help. */
const CLI_COMMANDS = [
  ['init', 'Make a new agent: a project that runs, is typed and tested.'],
  ['dev', 'Serve it without payments, and again after every save; --paid with them, on a local chain.'],
  ['types', 'Write agent.d.ts from agent.json, so that handlers.ts is typed.'],
  ['check', 'Put every rule of the interface to a running agent.'],
  ['register', 'Check a running agent, stake for it, and have a platform list it.'],
  ['deregister', 'End the registration of an agent; its stake is returned.'],
  ['login', 'Sign in to a platform as the owner of agents; logout and whoami beside it.'],
  ['dashboard', 'Show what your agents earned and how they are.'],
  ['secret', 'Create, list and revoke the secrets that agents take payments with.'],
  ['webhook', 'Have the platform report what becomes of your agents.'],
  ['call', 'Run one job of an agent, and pay for it.'],
  ['flow', 'Check, run and export flows of jobs.'],
  ['limits', 'Permit an agent to move your tokens within limits, see what it spent, and revoke it.'],
  ['verify-receipt', 'Check the receipt of a job, offline.'],
  ['wallet', 'Make a wallet that pays for jobs, and see what it holds.'],
] as const

const INSTALL = 'npm install --save-dev @farebox/cli'

/** The output of `farebox --help` when the CLI is not installed. */
export function helpAlone(): string {
  return [
    'farebox  declare an agent, serve it, be paid per job',
    '',
    ...columns(RUNTIME_COMMANDS.map(({ name, description }) => [name, description])),
    '',
    `With @farebox/cli, which is not installed here: ${INSTALL}`,
    '',
    ...columns(CLI_COMMANDS),
    '',
    'Example',
    '  farebox start --help',
    '',
  ].join('\n')
}

/** The error for a command that the runtime does not have, when the CLI is not installed. */
export function refuseAlone(command: string): string {
  if (CLI_COMMANDS.some(([name]) => name === command)) {
    const install = command === 'init' ? 'npx @farebox/cli init my-agent' : INSTALL
    return `✗ farebox ${command} is a command of @farebox/cli, which is not installed here\n  ${install}\n`
  }
  const known = [...RUNTIME_COMMANDS.map(({ name }) => name), ...CLI_COMMANDS.map(([name]) => name), 'help']
  const meant = nearest(command, known)
  return meant === undefined
    ? `✗ farebox ${command}: not a command\n  farebox --help lists all commands\n`
    : `✗ farebox ${command}: not a command, did you mean farebox ${meant}?\n  farebox --help lists all commands\n`
}
