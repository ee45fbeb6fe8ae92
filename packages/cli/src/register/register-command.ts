import { Command } from 'commander'
import type { CommandMaker } from '../command-maker.ts'
import type { RawAgentOptions, RawRegisterOptions } from './platform/register-options.ts'

const PLATFORM = [
  '--platform <url>',
  'the platform; or FAREBOX_PLATFORM, or the local one beside you',
] as const
const JSON_OPTION = ['--json', 'one JSON document'] as const

/** Adds the options that say which key signs. */
function withKeyOptions(command: Command, walletText: string): Command {
  return command
    .option('--wallet [name]', walletText)
    .option('--password-file <file>', 'a file whose first line is the password; or FAREBOX_WALLET_PASSWORD')
    .option('--rpc-url <url>', 'a node of the chain; or FAREBOX_RPC_URL')
}

export function withPlatformOptions(command: Command): Command {
  return command.option(...PLATFORM).option(...JSON_OPTION)
}

/**
 * `farebox register`, with `status` and `update` under it: alone, the two words would be about Farebox itself, as
 * they are of every other tool. `farebox deregister` is a word of its own.
 */
export const registerCommand: CommandMaker = (world, end) => {
  const register = new Command('register')
    .summary('register an agent at a platform, with a stake')
    .description('Check a running agent, stake for it, and have a platform list it.')
    // --endpoint of `update` is its own.
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
  const status = register
    .command('status')
    .description('the state of registrations; without a number, of all begun here')
    .argument('[agent id]', 'the number of an agent')
  withPlatformOptions(status)
    .addHelpText('after', '\nExample\n  farebox register status')
    .action(async (agentId: string | undefined, options: RawAgentOptions) =>
      end(await (await import('./status/show-status.ts')).showStatus(world, agentId, options)),
    )
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
  return register
}

/** `farebox deregister <agent id>`: ends a registration and returns its stake. */
export const deregisterCommand: CommandMaker = (world, end) => {
  const command = new Command('deregister')
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
