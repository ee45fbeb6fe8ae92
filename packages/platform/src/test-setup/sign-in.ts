import { randomBytes } from 'node:crypto'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { signInTerms } from '@farebox/platform-api/owners'
import { createSiweMessage } from 'viem/siwe'
import type { z } from 'zod'
import { beginSession } from '../owners/sessions.ts'
import type { PlatformParts } from '../platform-parts.ts'

/** A wallet for tests. */
export interface TestWallet {
  /** Lower case. */
  readonly address: string
  /** EIP-55. */
  readonly checksummed: `0x${string}`
  /** Signs like `personal_sign` (EIP-191). */
  personalSign(message: string): string
}

/** Creates a wallet with a new key. */
export function makeWallet(crypto: EvmCrypto): TestWallet {
  const key = randomBytes(32)
  const address = crypto.addressOf(key)
  return {
    address,
    checksummed: `0x${checksumAddress(crypto, address).slice(2)}`,
    personalSign(message) {
      const text = Buffer.from(message)
      const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`)
      return toHex(crypto.sign(crypto.keccak256(Buffer.concat([prefix, text])), key))
    },
  }
}

/** The message that a wallet is asked to sign, created by viem from the response of `POST /v1/sessions/nonces`. */
export function signInMessage(
  wallet: TestWallet,
  terms: z.infer<typeof signInTerms>,
  changes: Partial<Parameters<typeof createSiweMessage>[0]> = {},
): string {
  return createSiweMessage({
    address: wallet.checksummed,
    chainId: terms.chain_id,
    domain: terms.domain,
    nonce: terms.nonce,
    uri: terms.uri,
    version: terms.version,
    issuedAt: new Date(terms.issued_at),
    expirationTime: new Date(terms.expiration_time),
    ...changes,
  })
}

/** Headers of a session of this address that was begun without a signature, for tests of what follows the sign-in. */
export async function signedInAs(
  parts: Pick<PlatformParts, 'database' | 'clock'>,
  address: string,
): Promise<{ readonly authorization: string }> {
  const { token } = await beginSession(parts.database, address, parts.clock.nowMs())
  return { authorization: `Bearer ${token}` }
}
