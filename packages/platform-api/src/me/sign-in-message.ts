import type { SignInTerms } from '../owners.ts'

const STATEMENT = 'Sign in to Farebox. This costs nothing and moves no money.'

/**
 * The text that a wallet signs to sign in (EIP-4361): the terms that the platform asked for, for one address.
 *
 * @param address with the upper and lower case of EIP-55
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
