import { printable } from '@farebox/conformance/internal/printable'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { createSecretFile } from '../home/secret-file.ts'
import { unlockWallet } from '../keys/paying-key.ts'
import type { PasswordOptions } from '../keys/password.ts'
import { DEFAULT_WALLET, readWalletFile } from '../keys/wallet-files.ts'
import { CommandError, systemErrorCode, usageError } from '../command-error.ts'
import type { World } from '../world.ts'

/** The options of `farebox wallet export`. */
export interface ExportOptions extends PasswordOptions {
  /** A new file that only its owner can read. */
  readonly to?: string
  /** Prints the key to stdout. */
  readonly print?: true
}

/**
 * `farebox wallet export`: decrypts the private key of a wallet with its password and writes it to a new file with mode
 * 0600, or with `--print` to stdout.
 */
export async function exportKey(
  world: World,
  name: string = DEFAULT_WALLET,
  { to, print, passwordFile }: ExportOptions = {},
): Promise<void> {
  if ((to === undefined) === (print === undefined)) {
    throw usageError(
      'where should the key go?',
      'give --to <file> for a new file that you alone can read, or --print',
    )
  }
  const wallet = await readWalletFile(world, name)
  const path = to === undefined ? undefined : resolve(world.folder, to)
  if (path !== undefined) await refuseExisting(path)
  await agree(world, name)
  const key = await unlockWallet(world, await loadEvmCrypto(), wallet, { passwordFile })
  const text = `${toHex(key)}\n`
  key.fill(0)
  if (path === undefined) {
    world.out.write(text)
    world.err.write(
      '  anyone with this key can spend the money: clear the screen, and do not show the key to anyone\n',
    )
    return
  }
  await createSecretFile(path, text).catch((cause: unknown) => {
    const code = systemErrorCode(cause)
    throw new CommandError(`${printable(path)}: cannot be written (${code})`, 'nothing was written', {
      cause,
    })
  })
  world.err.write(`  the key is in ${printable(path)}, which only you can read; delete it after use\n`)
}

/** Reports an existing file before a password is requested; the final check is made when the file is created. */
async function refuseExisting(path: string): Promise<void> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return
  await file.close()
  throw usageError(`${printable(path)} is there already`, 'name a new file: nothing is written over')
}

async function agree(world: World, name: string): Promise<void> {
  // Without a terminal, the given password counts as agreement.
  if (!world.canAsk) return
  if (await world.ask.confirm(`Show the private key of the wallet "${printable(name)}"?`)) return
  throw new CommandError('not exported', '')
}
