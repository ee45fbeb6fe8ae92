import { checksumAddress } from '@farebox/payments/crypto/address'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'

/** Formats an address with its checksum (EIP-55). */
export async function spellAddress(address: string): Promise<string> {
  return checksumAddress({ keccak256: await loadKeccak() }, address)
}
