import { printable } from '@farebox/conformance/internal/printable'
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { encryptKey } from '../keys/encrypt-key.ts'
import { newPassword, type PasswordOptions } from '../keys/password.ts'
import { alreadyThere, createWallet, DEFAULT_WALLET, findWallet } from '../keys/wallet-files.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { findLocalEconomy, type LocalEconomy } from '../keys/local-economy.ts'

/** `farebox wallet new`: creates, encrypts and stores a key. The address is printed to stdout, everything else to stderr. */
export async function makeWallet(
  world: World,
  name: string = DEFAULT_WALLET,
  options: PasswordOptions = {},
): Promise<void> {
  // Checked before the person chooses a password; the final check is made when the file is created.
  if ((await findWallet(world, name)) !== undefined) throw alreadyThere(name)
  const local = await findLocalEconomy(world)
  const password = await newPassword(world, name, options)
  const crypto = await loadEvmCrypto()
  const key = newKey(crypto)
  const address = checksumAddress(crypto, crypto.addressOf(key))
  const path = await createWallet(world, name, await encryptKey(crypto, key, password))
  key.fill(0)
  world.out.write(`${address}\n`)
  tellNext(world, { name, path, address, local })
}

/** Returns 32 random bytes that are a valid key of the curve, as all but one in 2^127 are. */
function newKey(crypto: EvmCrypto): Uint8Array {
  for (;;) {
    const key = randomBytes(32)
    try {
      crypto.addressOf(key)
      return key
    } catch {
      // The bytes are zero, or not below the order of the curve.
    }
  }
}

interface MadeWallet {
  readonly name: string
  readonly path: string
  readonly address: string
  readonly local: LocalEconomy | undefined
}

function tellNext(world: World, { name, path, address, local }: MadeWallet): void {
  const { err } = world
  const { green, bold } = paintFor(err)
  const named = name === DEFAULT_WALLET ? '' : ` ${name}`
  const node = local === undefined ? ' --network eip155:84532 --rpc-url https://sepolia.base.org' : ''
  const funding =
    local === undefined
      ? [
          'send test USDC on Base Sepolia (eip155:84532) to the address above: https://faucet.circle.com',
          'Farebox is not audited: use it on test networks',
        ]
      : [
          'test money for it, typed in the folder of Farebox itself:',
          `npm run secret -- ${address} --folder ${dirname(local.path)}`,
        ]
  const chosen = name === DEFAULT_WALLET ? '' : ` --wallet ${name}`
  err.write(`
  ${green('✓')} wallet "${printable(name)}" is kept in ${printable(path)}
    Keep a copy of that file and of its password: nobody else has them.

  ${bold('Next')}
${funding.map(line => `    ${line}\n`).join('')}    ${asTyped(world, `farebox wallet balance${named}${node}`)}
    ${asTyped(world, `farebox call ${local === undefined ? 'https://agent.example' : '<url>'}${chosen}`)}

    On a local chain (${asTyped(world, 'farebox dev --paid')}) a funded test wallet pays by itself.
`)
}
