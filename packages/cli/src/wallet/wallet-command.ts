import type { Command } from 'commander'
import { type CommandMaker, JSON_OPTION, PASSWORD_OPTION } from '../command-maker.ts'
import type { World } from '../world.ts'
import type { ExportOptions } from './export-key.ts'
import type { BalanceOptions } from './show-wallet.ts'
import type { SignMessageOptions } from './sign-message.ts'

/** `farebox wallet new|address|balance|list|sign|export`: manages the keys that pay, each in an encrypted file. */
export const walletCommand: CommandMaker = (wallet, world) => {
  wallet
    .summary('keys that pay, encrypted; what they hold')
    .description('Make a wallet that pays for jobs, and see what it holds.')
    .addHelpText('after', EXAMPLES)
  addNew(wallet, world)
  addAddress(wallet, world)
  addBalance(wallet, world)
  addList(wallet, world)
  addSign(wallet, world)
  addExport(wallet, world)
  return wallet
}

function addNew(wallet: Command, world: World): void {
  wallet
    .command('new')
    .description('make a key, encrypt it by a password, keep it')
    .argument('[name]', 'what to call it, or the file to keep it in (default: default)')
    .option(...PASSWORD_OPTION)
    .addHelpText('after', '\nExample\n  farebox wallet new')
    .action(
      async (name: string | undefined, options: { readonly passwordFile?: string }) =>
        await (await import('./make-wallet.ts')).makeWallet(world, name, options),
    )
}

function addAddress(wallet: Command, world: World): void {
  wallet
    .command('address')
    .description('the address of a wallet; of the one that would pay, where none is named')
    .argument('[name]', 'a wallet, or a keystore file')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample\n  farebox wallet address')
    .action(
      async (name: string | undefined, options: { readonly json?: true }) =>
        await (await import('./show-wallet.ts')).showAddress(world, name, options),
    )
}

function addBalance(wallet: Command, world: World): void {
  wallet
    .command('balance')
    .description('what a wallet, or any address, holds on a chain')
    .argument('[name or address]', 'default: the wallet that would pay')
    .option('--network <id>', 'the chain (default: eip155:8453, Base; beside a local economy, its own)')
    .option('--rpc-url <url>', 'a node of it; or FAREBOX_RPC_URL')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample\n  farebox wallet balance --rpc-url https://mainnet.base.org')
    .action(
      async (of: string | undefined, options: BalanceOptions) =>
        await (await import('./show-wallet.ts')).showBalance(world, of, options),
    )
}

function addList(wallet: Command, world: World): void {
  wallet
    .command('list')
    .description('every wallet that is kept here')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample\n  farebox wallet list')
    .action(
      async (options: { readonly json?: true }) =>
        await (await import('./show-wallet.ts')).showWallets(world, options),
    )
}

function addSign(wallet: Command, world: World): void {
  wallet
    .command('sign')
    .description('sign a text as wallets do (EIP-191); never a payment or a transaction')
    .argument('<text>', 'what is signed; - for the standard input')
    .option('--wallet <name>', 'which wallet (default: the one that would pay)')
    .option(...PASSWORD_OPTION)
    .option('--yes', 'confirm without being asked; required without a terminal')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample\n  farebox wallet sign "this is mine"')
    .action(
      async (text: string, options: SignMessageOptions) =>
        await (await import('./sign-message.ts')).signMessage(world, text, options),
    )
}

function addExport(wallet: Command, world: World): void {
  wallet
    .command('export')
    .description('the private key of a wallet, by its password')
    .argument('[name]', 'a wallet, or a keystore file (default: default)')
    .option('--to <file>', 'a new file that you alone can read')
    .option('--print', 'print it instead')
    .option(...PASSWORD_OPTION)
    .addHelpText('after', '\nExample\n  farebox wallet export --to key.txt')
    .action(
      async (name: string | undefined, options: ExportOptions) =>
        await (await import('./export-key.ts')).exportKey(world, name, options),
    )
}

const EXAMPLES = `
Wallets are kept in ~/.farebox/wallets (or $FAREBOX_HOME/wallets), as geth, cast and MetaMask keep theirs.
A key itself is never taken from the command line: a wallet, or the variable FAREBOX_PRIVATE_KEY.

Examples
  farebox wallet new
  farebox wallet balance --rpc-url https://mainnet.base.org
`
