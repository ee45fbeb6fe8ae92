import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findPayingKey, signText } from '../keys/paying-key.ts'
import type { PasswordOptions } from '../keys/password.ts'
import { usageError } from '../command-error.ts'
import type { World } from '../world.ts'
import { agree } from '../terminal/ask.ts'

/** The options of `farebox wallet sign`. */
export interface SignMessageOptions extends PasswordOptions {
  readonly wallet?: string
  readonly json?: true
  readonly yes?: true
}

const MAX_CHARACTERS = 10_000

/**
 * `farebox wallet sign`: signs a text like wallets do (EIP-191, `personal_sign`), such as the message of a sign-in. It
 * cannot sign a payment or a transaction, because their digests have other prefixes.
 *
 * @param text `-`: the whole of standard input, unchanged
 */
export async function signMessage(world: World, text: string, options: SignMessageOptions): Promise<void> {
  const message = text === '-' ? await world.readInput() : text
  if (message.length > MAX_CHARACTERS) {
    throw usageError(`a text of ${message.length} characters is not signed`, `at most ${MAX_CHARACTERS}`)
  }
  const { wallet, passwordFile } = options
  const key = await findPayingKey(world, { wallet, passwordFile })
  const crypto = await loadEvmCrypto()
  const address = checksumAddress(crypto, key.address)
  world.err.write(
    `  ${address}  ${key.source} signs\n${message
      .split('\n')
      .map(line => `    ${printable(line)}\n`)
      .join('')}`,
  )
  await agree(world, options, 'Sign it?', { unasked: 'add --yes; nothing was signed', refused: 'not signed' })
  const signature = signText(crypto, await key.unlock(), message)
  world.out.write(
    options.json === true ? `${printableJson({ address, message, signature })}\n` : `${signature}\n`,
  )
}
