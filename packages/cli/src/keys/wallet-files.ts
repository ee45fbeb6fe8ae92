import { printable } from '@farebox/conformance/internal/printable'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createSecretFile } from '../home/secret-file.ts'
import { CommandError, systemErrorCode } from '../command-error.ts'
import type { World } from '../world.ts'
import { type Keystore, readKeystore } from './keystore.ts'

/** The wallet that `--wallet` and `farebox wallet` use by default. */
export const DEFAULT_WALLET = 'default'

/** A keystore file. */
export interface WalletFile {
  /** The name or path that was requested. */
  readonly name: string
  readonly path: string
  readonly keystore: Keystore
}

type Place = Pick<World, 'home' | 'folder'>

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/**
 * Returns the path of a wallet: a name means `<home>/wallets/<name>.json`; text with a slash or ending in `.json` is a
 * path.
 */
function walletPath({ home, folder }: Place, name: string): string {
  if (/[/\\]/.test(name) || name.endsWith('.json')) return resolve(folder, name)
  if (NAME.test(name)) return join(home, 'wallets', `${name}.json`)
  throw new CommandError(
    `${shownName(name)} is not a wallet name`,
    'a name has letters, digits, - and _; a file is given with a slash or with its .json',
  )
}

/**
 * Returns the wallet, or `undefined` when the file does not exist. Throws a `CommandError` for a file that is not a
 * keystore.
 */
export async function findWallet(place: Place, name: string): Promise<WalletFile | undefined> {
  const path = walletPath(place, name)
  try {
    return { name, path, keystore: readKeystore(await readFile(path, 'utf8'), printable(path)) }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return undefined
    throw new CommandError(`${printable(path)}: cannot be read (${code})`, 'check its permissions', {
      cause: error,
    })
  }
}

/** Like {@link findWallet}, for a wallet that must exist. */
export async function readWalletFile(place: Place, name: string): Promise<WalletFile> {
  const found = await findWallet(place, name)
  if (found !== undefined) return found
  const others = (await listWallets(place)).map(({ name }) => name)
  throw new CommandError(
    `there is no wallet ${shownName(name)}`,
    others.length === 0 ? 'farebox wallet new makes one' : `there is: ${others.join(', ')}`,
  )
}

/** Lists the wallets of `<home>/wallets` by name, each with its keystore or the reason why it has none. */
export async function listWallets(
  place: Place,
): Promise<readonly { readonly name: string; readonly keystore: Keystore | CommandError }[]> {
  const files = await readdir(join(place.home, 'wallets')).catch(() => [])
  const names = files.filter(file => file.endsWith('.json')).map(file => file.slice(0, -'.json'.length))
  return await Promise.all(
    names
      .filter(name => NAME.test(name))
      .toSorted()
      .map(async name => ({ name, keystore: await keystoreOf(place, name) })),
  )
}

/**
 * Stores a new wallet that only its owner can read.
 *
 * @throws {CommandError} when a wallet with that name exists, because a key is never overwritten, or when the file cannot
 * be created
 */
export async function createWallet(place: Place, name: string, keystore: string): Promise<string> {
  const path = walletPath(place, name)
  try {
    await createSecretFile(path, keystore)
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST' ? alreadyThere(name) : notKept(path, error)
  }
  return path
}

/** The error for a wallet that already exists. */
export function alreadyThere(name: string): CommandError {
  return new CommandError(
    `there is a wallet ${shownName(name)} already, and a key is never written over`,
    'take another name: farebox wallet new <name>',
  )
}

const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

function notKept(path: string, cause: unknown): CommandError {
  const code = systemErrorCode(cause)
  const next = NO_LINKS.includes(code)
    ? 'its file system makes no hard links, which keep a key from being written over: FAREBOX_HOME names another folder'
    : 'check the folder’s permissions, or name another by FAREBOX_HOME'
  return new CommandError(`${printable(path)}: cannot be written (${code})`, next, { cause })
}

async function keystoreOf(place: Place, name: string): Promise<Keystore | CommandError> {
  try {
    return (await findWallet(place, name))?.keystore ?? new CommandError(`${name}: is gone`, '')
  } catch (error) {
    if (error instanceof CommandError) return error
    throw error
  }
}

/** Text typed as a name may be anything, even a key, so long text is not repeated. */
function shownName(name: string): string {
  return name.length > 64 ? 'of so many characters' : `"${printable(name)}"`
}
