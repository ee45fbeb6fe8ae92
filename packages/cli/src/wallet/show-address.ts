import { checksumAddress } from '@farebox/payments/crypto/address'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { findPayingKey } from '../keys/paying-key.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'

/** `farebox wallet address`: of a wallet by name, else of the one that would pay. */
export async function showAddress(
  world: World,
  name: string | undefined,
  { json }: { readonly json?: true },
): Promise<void> {
  const key = await findPayingKey(world, { wallet: name })
  const address = checksumAddress({ keccak256: await loadKeccak() }, key.address)
  if (json) return world.out.write(`${printableJson({ address, source: key.source })}\n`)
  world.out.write(`${address}\n`)
  if (name === undefined) world.err.write(`  ${key.source}\n`)
}
