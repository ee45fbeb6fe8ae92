import { writeSignInMessage } from '@farebox/platform-api/internal/me/sign-in-message'
import type { SignInTerms } from '@farebox/platform-api/owners'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { checksumAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { isOnLoopback } from '../keys/local-economy.ts'
import { CommandError } from '../command-error.ts'
import { printable } from '../terminal/printable.ts'

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/

/**
 * The message of EIP-4361 that signs in at a platform, and at no other: a platform that asks for a message to somebody
 * else's would sign in there in the owner's name.
 *
 * @param platform the URL that was asked for
 * @param address any case
 * @throws {CommandError} for terms that name another platform, or are none
 */
export function signInMessage(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  terms: SignInTerms,
  { platform, address }: { readonly platform: string; readonly address: string },
): string {
  refuseOtherPlatform(terms, platform)
  const isWhole =
    /^[A-Za-z0-9]{8,96}$/.test(terms.nonce) &&
    Number.isSafeInteger(terms.chain_id) &&
    RFC3339.test(terms.issued_at) &&
    RFC3339.test(terms.expiration_time)
  if (!isWhole) {
    throw new CommandError(`${platform} asks for a sign-in in no form that is known`, 'nothing was signed')
  }
  return writeSignInMessage(terms, checksumAddress(crypto, address))
}

function refuseOtherPlatform({ domain, uri }: SignInTerms, platform: string): void {
  const { host, origin, port } = new URL(platform)
  if (domain === host && uri === origin) return
  const named = canParseUrl(uri) ? new URL(uri) : undefined
  // This machine has several names; the port says which platform of it is meant.
  const isSameMachine =
    named !== undefined &&
    named.origin === uri &&
    named.host === domain &&
    named.port === port &&
    isOnLoopback(uri) &&
    isOnLoopback(platform)
  if (isSameMachine) return
  throw new CommandError(
    `${platform} asks for a sign-in at ${printable(domain.slice(0, 200))}`,
    'nothing was signed; where that is the platform you mean, name it: --platform <url>',
  )
}
