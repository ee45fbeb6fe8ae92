import type { SignInTerms } from '../owners.ts'

const STATEMENT = 'Sign in to Farebox. This costs nothing and moves no money.'

/**
 * Writes the text that a wallet signs to sign in (EIP-4361), from the platform's terms and one address.
 *
 * @param address in the mixed-case checksum form of EIP-55
 */
export function writeSignInMessage(terms: SignInTerms, address: string): string {
  return [
    `${terms.domain} wants you to sign in with your Ethereum account:`,
    address,
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
