import type { SignInTerms } from '@farebox/platform-api/owners'
import { checksumAddress } from '../format/address.ts'

const STATEMENT = 'Sign in to Farebox. This sends no transaction and costs nothing.'

/** The text that a wallet signs to sign in (EIP-4361): what the platform asked for, for this address. */
export function writeSignInMessage(terms: SignInTerms, address: string): string {
  return [
    `${terms.domain} wants you to sign in with your Ethereum account:`,
    checksumAddress(address),
    '',
    STATEMENT,
    '',
    `URI: ${terms.uri}`,
    `Version: ${terms.version}`,
    `Chain ID: ${terms.chain_id}`,
    `Nonce: ${terms.nonce}`,
    `Issued At: ${terms.issued_at}`,
    `Expiration Time: ${terms.expiration_time}`,
  ].join('\n')
}
