import type { Command } from 'commander'
import type { World } from './world.ts'

/** Receives the exit code of a command when it is not 0. */
export type SetExitCode = (exitCode: number) => void

/** Configures a command that already has its name. */
export type CommandMaker = (command: Command, world: World, end: SetExitCode) => Command

/** Options with the same meaning in every command that has them. */
export const JSON_OPTION = ['--json', 'one JSON document'] as const
export const PASSWORD_OPTION = [
  '--password-file <file>',
  'a file whose first line is the password; or FAREBOX_WALLET_PASSWORD',
] as const
export const PAYING_WALLET_OPTION = ['--wallet <name>', 'the wallet that pays, or a keystore file'] as const
export const RPC_OPTION = ['--rpc-url <url>', 'a node of the chain; or FAREBOX_RPC_URL'] as const
export const PLATFORM_OPTION = [
  '--platform <url>',
  'the platform; or FAREBOX_PLATFORM, or the local one beside you',
] as const

/** Adds the options of a command that calls a platform. */
export function withPlatformOptions(command: Command): Command {
  return command.option(...PLATFORM_OPTION).option(...JSON_OPTION)
}

/** Collects the values of an option that may be given several times. */
export function collect(arg: string, args: readonly string[] = []): readonly string[] {
  return [...args, arg]
}
