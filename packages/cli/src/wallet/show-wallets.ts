import { checksumAddress } from '@farebox/payments/crypto/address'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { listWallets } from '../keys/wallet-files.ts'
import { CommandError } from '../command-error.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'
import { asTyped } from '../terminal/as-typed.ts'

/** `farebox wallet list`: what is kept here, files that are no keystore named too. */
export async function showWallets(world: World, { json }: { readonly json?: true }): Promise<void> {
  const keccak256 = await loadKeccak()
  const wallets = (await listWallets(world)).map(({ name, keystore }) => ({
    name,
    problem: keystore instanceof CommandError ? keystore.message : undefined,
    address:
      keystore instanceof CommandError || keystore.address === undefined
        ? null
        : checksumAddress({ keccak256 }, keystore.address),
  }))
  if (json) return world.out.write(`${printableJson({ wallets })}\n`)
  if (wallets.length === 0)
    return world.err.write(`  no wallets yet: ${asTyped(world, 'farebox wallet new')} makes one\n`)
  const width = Math.max(...wallets.map(({ name }) => name.length))
  for (const { name, address, problem } of wallets) {
    world.out.write(`${name.padEnd(width)}  ${address ?? problem ?? 'its file does not tell its address'}\n`)
  }
}
