import type { Command } from 'commander'
import {
  collect,
  type CommandMaker,
  type SetExitCode,
  JSON_OPTION,
  PASSWORD_OPTION,
  PLATFORM_OPTION,
  RPC_OPTION,
} from '../command-maker.ts'
import type { World } from '../world.ts'
import type { RawAgentLimitsOptions, RawAllowOptions, RawLimitsOptions } from './agent/limits-options.ts'

/** `farebox limits allow|list|revoke|approve`: how much of a wallet's tokens agents may move. */
export const limitsCommand: CommandMaker = (limits, world, end) => {
  limits
    .summary('what agents may move of your tokens')
    .description("Let an agent's capability move tokens of yours, within limits that the chain enforces.")
    .addHelpText('after', EXAMPLES)
  addAllow(limits, world, end)
  addList(limits, world, end)
  addRevoke(limits, world, end)
  addApprove(limits, world, end)
  return limits
}

const AGENT = 'its address, its number, or its page at a platform'

function addAllow(limits: Command, world: World, end: SetExitCode): void {
  const allow = limits
    .command('allow')
    .description('allow a capability to move tokens: so much each time, so much in all, until a day')
    .argument('<agent>', AGENT)
    .argument('<capability>', 'one that declares EXECUTE_TRANSACTIONS')
    .option('--limit <usdc>', 'the most that one transaction may move; lower than what the agent declares')
    .option('--cap <usdc>', 'the most that all may move, since the permission was first set')
    .option('--until <time>', '30d, 12h, or a date in UTC: 2027-01-31, 2027-01-31T18:00Z (default: 30d)')
    .option(
      '--to <address>',
      'whom it may pay, as often as there are, at most 16; without it anybody',
      collect,
    )
  withOptions(withAgent(allow))
    .addHelpText('after', ALLOW_EXAMPLES)
    .action(async (agent: string, capability: string, options: RawAllowOptions) =>
      end(await (await import('./allow-agent.ts')).allowAgent(world, { agent, capability }, options)),
    )
}

function addList(limits: Command, world: World, end: SetExitCode): void {
  withOptions(
    limits.command('list').description('what is allowed, what was spent, and whether the approval is right'),
    { asks: false },
  )
    .addHelpText('after', '\nExample\n  farebox limits list')
    .action(async (options: RawLimitsOptions) =>
      end(await (await import('./list-permissions.ts')).listPermissions(world, options)),
    )
}

function addRevoke(limits: Command, world: World, end: SetExitCode): void {
  const revoke = limits
    .command('revoke')
    .description('end a permission at once, and lower the approval by what it had left')
    .argument('<agent>', `${AGENT}; or alone, the number in farebox limits list`)
    .argument('[capability]', 'what was allowed')
  withOptions(withAgent(revoke))
    .addHelpText('after', REVOKE_EXAMPLES)
    .action(async (first: string, capability: string | undefined, options: RawAgentLimitsOptions) =>
      end(
        await (
          await import('./revoke-permission.ts')
        ).revokePermission(world, { first, capability }, options),
      ),
    )
}

function addApprove(limits: Command, world: World, end: SetExitCode): void {
  withOptions(
    limits.command('approve').description('make the approval exactly what is left of all permissions'),
  )
    .addHelpText('after', '\nExample\n  farebox limits approve')
    .action(async (options: RawLimitsOptions) =>
      end(await (await import('./fix-approval.ts')).fixApproval(world, options)),
    )
}

function withAgent(command: Command): Command {
  return command
    .option(
      '--spender <address>',
      'the address that the agent sends its transactions from (default: its own word)',
    )
    .option('--agent-id <number>', 'its number in the registry, where no platform lists its address')
}

function withOptions(command: Command, { asks = true }: { readonly asks?: boolean } = {}): Command {
  command
    .option('--wallet <name>', 'whose tokens, a wallet or a keystore file; else the one that pays calls')
    .option(...PASSWORD_OPTION)
    .option('--network <id>', "the chain, like eip155:8453 (default: the platform's, or the local one)")
    .option(...RPC_OPTION)
    .option(...PLATFORM_OPTION)
  if (asks) command.option('--yes', 'do not ask for confirmation')
  return command.option(...JSON_OPTION)
}

const EXAMPLES = `
The contract SpendPermissions enforces the limits; it is unaudited. Tokens stay in your wallet until they are
spent. What the token lets the contract take, the approval, is always exactly what is left of all permissions.

Examples
  farebox limits allow https://agent.example buy --limit 1.00 --cap 10.00
  farebox limits list
  farebox limits revoke 7 buy
`

const ALLOW_EXAMPLES = `
A permission names the account that sends the agent's transactions; nobody else can use it. The agent names that
account with the price of the capability; where it does not, give it as --spender.

The same command with other figures changes the permission; what was spent stays spent. Where the token takes
signed approvals (USDC does), it is one transaction.

Examples
  farebox limits allow 7 buy --limit 1.00 --cap 10.00
  farebox limits allow https://agent.example buy --limit 0.50 --cap 5.00 --until 2027-01-31 --spender 0x15d3… --to 0x9965…
`

const REVOKE_EXAMPLES = `
Examples
  farebox limits revoke 7 buy
  farebox limits revoke 2
`
