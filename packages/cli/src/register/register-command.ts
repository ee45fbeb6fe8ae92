import type { Command } from 'commander'
import {
  type CommandMaker,
  type SetExitCode,
  PASSWORD_OPTION,
  RPC_OPTION,
  withPlatformOptions,
} from '../command-maker.ts'
import type { World } from '../world.ts'
import type { RawAgentOptions, RawRegisterOptions } from './platform/register-options.ts'

/**
 * `farebox register` with its subcommands `status` and `update`; as top-level commands, the two words would refer to
 * Farebox itself, as in other tools. `farebox deregister` is a top-level command.
 */
export const registerCommand: CommandMaker = (register, world, end) => {
  register
    .summary('register an agent at a platform, with a stake')
    .description('Check a running agent, stake for it, and have a platform list it.')
    // `update` has its own --endpoint.
    .enablePositionalOptions()
    .argument('[url]')
    .usage('--endpoint <https_url> [options]')
    .option('--endpoint <https_url>', 'the public URL of the agent')
  withKeyOptions(
    register,
    'stake with a key of yours instead of the browser; without a name, the one that pays calls',
  )
  register.option(
    '--timeout <seconds>',
    'how long to wait for the stake, and then for the listing (default: 1200, 600; without a terminal 120 for the stake)',
  )
  register.option('--no-browser', 'print the address of the registration page and open nothing')
  withPlatformOptions(register)
    .configureHelp({ visibleArguments: () => [] })
    .addHelpText('after', EXAMPLES)
    .action(async (url: string | undefined, options: RawRegisterOptions) =>
      end(
        await (
          await import('./run-register.ts')
        ).runRegister(world, { ...options, ...(url === undefined ? {} : { url }) }),
      ),
    )
  addStatus(register, world, end)
  addUpdate(register, world, end)
  return register
}

function addStatus(register: Command, world: World, end: SetExitCode): void {
  const status = register
    .command('status')
    .description('the state of registrations; without a number, of all begun here')
    .argument('[agent id]', 'the number of an agent')
  withPlatformOptions(status)
    .addHelpText('after', '\nExample\n  farebox register status')
    .action(async (agentId: string | undefined, options: RawAgentOptions) =>
      end(await (await import('./status/show-status.ts')).showStatus(world, agentId, options)),
    )
}

function addUpdate(register: Command, world: World, end: SetExitCode): void {
  const update = register
    .command('update')
    .description('move an agent to another URL; its stake and number stay')
    .argument('<agent id>', 'the number of the agent')
    .requiredOption('--endpoint <https_url>', 'its new URL')
  withPlatformOptions(
    withKeyOptions(update, 'the wallet that holds the agent; without a name, the one that pays calls'),
  )
    .addHelpText('after', '\nExample\n  farebox register update 7 --endpoint https://new.example')
    .action(async (agentId: string, options: RawAgentOptions) =>
      end(await (await import('./update-agent.ts')).updateAgent(world, agentId, options)),
    )
}

/** `farebox deregister <agent id>`: ends a registration and returns its stake. */
export const deregisterCommand: CommandMaker = (command, world, end) => {
  command
    .summary('end a registration; its stake is returned')
    .description('End the registration of an agent. Its stake goes back to the wallet that holds the agent.')
    .argument('<agent id>', 'the number of the agent')
  withKeyOptions(command, 'the wallet that holds the agent; without a name, the one that pays calls')
  command.option('--yes', 'do not ask for confirmation')
  return withPlatformOptions(command)
    .addHelpText('after', '\nExample\n  farebox deregister 7 --wallet default')
    .action(async (agentId: string, options: RawAgentOptions) =>
      end(await (await import('./deregister-agent.ts')).deregisterAgent(world, agentId, options)),
    )
}

/** Adds the options that select the signing key. */
function withKeyOptions(command: Command, walletText: string): Command {
  return command
    .option('--wallet [name]', walletText)
    .option(...PASSWORD_OPTION)
    .option(...RPC_OPTION)
}

const EXAMPLES = `
The stake of 0.001 ETH is held by the registry contract and returned by farebox deregister. It is paid by the
wallet of the agent's /about: in the browser, or with --wallet. After an interruption, the same command
continues where it stopped; nothing is staked twice.

Exit codes
  0  listed                      3  not listed in time: run the same command again, it continues
  1  no: problems, a refusal     130  Ctrl-C: run the same command again
  2  the command was not understood

Examples
  farebox register --endpoint https://agent.example
  farebox register --endpoint https://agent.example --wallet default --json
  farebox register --endpoint https://agent.example --timeout 30
  farebox register status
  farebox register update 7 --endpoint https://new.example
`
