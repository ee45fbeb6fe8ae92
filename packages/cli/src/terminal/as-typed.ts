import type { World } from '../world.ts'

/** The commands of the program, as a hint may name them. */
export const COMMAND_NAMES: readonly string[] = [
  'init',
  'dev',
  'types',
  'start',
  'validate',
  'check',
  'register',
  'deregister',
  'login',
  'whoami',
  'logout',
  'dashboard',
  'secret',
  'webhook',
  'call',
  'flow',
  'limits',
  'verify-receipt',
  'wallet',
]

const COMMAND = new RegExp(
  String.raw`(?<!npx |[\w@/.-])farebox (?=(?:${COMMAND_NAMES.join('|')}|--help)(?![\w-]))`,
  'g',
)

/**
 * A hint with its commands as they can be pasted: `npx farebox call …` where the shell does not find `farebox` by
 * itself. Hints are written with `farebox`; only here is decided what is shown.
 *
 * @example
 * err.write(`  ${asTyped(world, 'farebox wallet new makes one')}\n`)
 */
export function asTyped({ program }: Pick<World, 'program'>, hint: string): string {
  return hint.replaceAll(COMMAND, `${program} `)
}
