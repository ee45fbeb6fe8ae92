import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError, usageError } from '../command-error.ts'
import type { World } from '../world.ts'

/** The sources of a password other than the keyboard. */
export interface PasswordOptions {
  /** `--password-file`: the first line of this file is the password. */
  readonly passwordFile?: string | undefined
}

const VARIABLE = 'FAREBOX_WALLET_PASSWORD'

/** Shorter passwords can be guessed, whatever the cost of a guess. */
const LEAST_PASSWORD_CHARACTERS = 8

/**
 * Returns the password that was given without a question: from `--password-file`, else from the variable. Returns
 * `undefined` when neither is set.
 */
export async function givenPassword(
  { folder, variables }: Pick<World, 'folder' | 'variables'>,
  { passwordFile }: PasswordOptions,
): Promise<string | undefined> {
  if (passwordFile === undefined) return variables[VARIABLE] || undefined
  const text = await readFile(resolve(folder, passwordFile), 'utf8').catch((cause: unknown) => {
    throw new CommandError(
      'the file of --password-file cannot be read',
      'name a file whose first line is the password',
      { cause },
    )
  })
  return text.split(/\r?\n/, 1)[0]
}

export async function askPassword(world: World, wallet: string): Promise<string> {
  if (!world.canAsk) throw nobodyToAsk(wallet)
  return await world.ask.password(`Password of the wallet "${wallet}"`)
}

/** Returns the password for a new wallet: the given one, or one that the person types twice. */
export async function newPassword(world: World, wallet: string, options: PasswordOptions): Promise<string> {
  const given = await givenPassword(world, options)
  if (given !== undefined) {
    const reason = refuseShort(given)
    if (reason === undefined) return given
    throw new CommandError(`the password ${reason}`, 'nothing was made')
  }
  if (!world.canAsk) throw nobodyToAsk(wallet)
  const password = await world.ask.password(`A password for the wallet "${wallet}"`, { refuse: refuseShort })
  await world.ask.password('Repeat the password', {
    refuse: again => (again === password ? undefined : 'does not match'),
  })
  return password
}

function refuseShort(password: string): string | undefined {
  const characters = Array.from(password).length
  return characters >= LEAST_PASSWORD_CHARACTERS
    ? undefined
    : `must have at least ${LEAST_PASSWORD_CHARACTERS} characters, got ${characters}`
}

function nobodyToAsk(wallet: string): CommandError {
  return usageError(
    `the wallet "${wallet}" needs its password, and there is no terminal to ask on`,
    `set ${VARIABLE}, or give --password-file <file>`,
  )
}
