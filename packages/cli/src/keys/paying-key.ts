import { printable } from '@farebox/conformance/internal/printable'
import { concatBytes, fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { type PaymentSigner, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { CommandError } from '../command-error.ts'
import type { World } from '../world.ts'
import { decryptKey } from './encrypt-key.ts'
import type { LocalEconomy } from './local-economy.ts'
import { askPassword, givenPassword, type PasswordOptions } from './password.ts'
import { DEFAULT_WALLET, findWallet, readWalletFile, type WalletFile } from './wallet-files.ts'

/** The payer's key; its address is known before it is unlocked. */
export interface PayingKey {
  /** Lower case. */
  readonly address: string
  /** Where the key is, in words that follow the address: `wallet "default"`. */
  readonly source: string
  unlock(): Promise<KeySigner>
}

export interface KeySigner extends PaymentSigner {
  /** 65 bytes r ‖ s ‖ v, v 27 or 28, over 32 bytes. */
  signDigest(digest: Uint8Array): Uint8Array
}

/** Options that select the key. */
export interface PayingKeyOptions extends PasswordOptions {
  /** `--wallet`: a name or a file. */
  readonly wallet?: string | undefined
  /** The local economy of the agent, if it runs on this machine: its test wallet may pay. */
  readonly local?: LocalEconomy | undefined
}

const VARIABLE = 'FAREBOX_PRIVATE_KEY'
const PASSWORD_TRIES = 3

/**
 * Finds the key that pays: `--wallet`, else `FAREBOX_PRIVATE_KEY`, else the local test wallet, else the default wallet. A
 * key is never an argument, because arguments are visible in the shell's history and in process lists.
 *
 * @throws {CommandError} when there is no key, or it is invalid; the message never shows it
 */
export async function findPayingKey(world: World, options: PayingKeyOptions): Promise<PayingKey> {
  const crypto = await loadEvmCrypto()
  const { wallet, local } = options
  if (wallet !== undefined)
    return await keystoreKey(world, crypto, await readWalletFile(world, wallet), options)
  const variable = world.variables[VARIABLE]
  if (variable !== undefined && variable !== '') return plainKey(crypto, variable, VARIABLE)
  if (local !== undefined) {
    return plainKey(crypto, local.payer.privateKey, `the local test wallet of ${printable(local.path)}`)
  }
  const standard = await findWallet(world, DEFAULT_WALLET)
  if (standard !== undefined) return await keystoreKey(world, crypto, standard, options)
  throw new CommandError(
    'there is no wallet to pay from',
    `make one: farebox wallet new\nor set ${VARIABLE}; beside a running local economy its test wallet pays`,
  )
}

function plainKey(crypto: EvmCrypto, privateKey: string, source: string): PayingKey {
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    const got = `got ${privateKey.length} characters`
    throw new CommandError(`${VARIABLE} must be 0x and 64 hex digits, ${got}`, 'it is read from nowhere else')
  }
  const signer = signerOf(crypto, privateKey, source)
  return { address: signer.address, source, unlock: () => Promise.resolve(signer) }
}

async function keystoreKey(
  world: World,
  crypto: EvmCrypto,
  wallet: WalletFile,
  options: PasswordOptions,
): Promise<PayingKey> {
  const source = `wallet "${printable(wallet.name)}"`
  const unlock = async (): Promise<KeySigner> => await openWallet(world, crypto, wallet, options)
  const { address } = wallet.keystore
  if (address !== undefined) return { address, source, unlock }
  // The file does not contain its address, so it must be decrypted to show who would pay.
  const signer = await unlock()
  return { address: signer.address, source, unlock: () => Promise.resolve(signer) }
}

async function openWallet(
  world: World,
  crypto: EvmCrypto,
  wallet: WalletFile,
  options: PasswordOptions,
): Promise<KeySigner> {
  const key = await unlockWallet(world, crypto, wallet, options)
  return checkedSigner(crypto, key, printable(wallet.name), wallet.keystore.address)
}

/** Returns the private key of a wallet, 32 bytes, decrypted with the given password or one that the person types. */
export async function unlockWallet(
  world: World,
  crypto: Pick<EvmCrypto, 'keccak256'>,
  { name, keystore }: WalletFile,
  options: PasswordOptions,
): Promise<Uint8Array> {
  const given = await givenPassword(world, options)
  for (let tries = 1; ; tries += 1) {
    const password = given ?? (await askPassword(world, printable(name)))
    const key = await decryptKey(crypto.keccak256, keystore, password)
    world.signal.throwIfAborted()
    if (key !== undefined) return key
    if (given !== undefined || tries === PASSWORD_TRIES) {
      throw new CommandError(`wrong password for the wallet "${printable(name)}"`, 'nothing was done with it')
    }
    world.err.write('  wrong password\n')
  }
}

/** Checks that the key belongs to the address in the file; otherwise the file would show a person the wrong payer. */
function checkedSigner(
  crypto: EvmCrypto,
  key: Uint8Array,
  name: string,
  claimed: string | undefined,
): KeySigner {
  const signer = signerOf(crypto, toHex(key), `the wallet "${name}"`)
  key.fill(0)
  if (claimed === undefined || claimed === signer.address) return signer
  throw new CommandError(
    `the wallet "${name}" says ${claimed} and holds the key of ${signer.address}`,
    'somebody changed the file; nothing was signed',
  )
}

function signerOf(crypto: EvmCrypto, privateKey: string, source: string): KeySigner {
  const key = fromHex(privateKey)
  try {
    crypto.addressOf(key)
  } catch (cause) {
    throw new CommandError(
      `${source} holds no private key: its number is out of range`,
      'take another wallet',
      { cause },
    )
  }
  return { ...privateKeySigner(crypto, privateKey), signDigest: digest => crypto.sign(digest, key) }
}

/** Signs a text like wallets do (`personal_sign`, EIP-191). */
export function signText(
  { keccak256 }: Pick<EvmCrypto, 'keccak256'>,
  signer: Pick<KeySigner, 'signDigest'>,
  text: string,
): string {
  const bytes = new TextEncoder().encode(text)
  const prefix = new TextEncoder().encode(`\u0019Ethereum Signed Message:\n${bytes.length}`)
  return toHex(signer.signDigest(keccak256(concatBytes(prefix, bytes))))
}
