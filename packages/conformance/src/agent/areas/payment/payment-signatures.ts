import { randomBytes } from 'node:crypto'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import type { Check } from '../../check/check.ts'
import { sendSignature } from '../../check/forge-payment.ts'
import { acceptanceCheck, refusalCheck } from './judge-payment.ts'

/** The order of secp256k1 (SEC 2, 2.4.1): s and the order minus s give equivalent signatures. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const EXACT =
  'Take 65 bytes with v 27 or 28 and a low s, as the token does, and compare the recovered address with from.'

const WRONG: readonly (readonly [
  name: string,
  rules: readonly string[],
  change: (signature: string) => unknown,
  message?: RegExp,
])[] = [
  ['no hex', [], signature => signature.slice(2)],
  ['a number', [], () => 7],
  ['empty', [], () => '0x'],
  ['64 bytes', ['SR2'], signature => signature.slice(0, 130)],
  ['66 bytes', ['D4'], signature => `${signature}00`],
  ['all zero', ['SR2'], () => `0x${'00'.repeat(65)}`],
  ['with a flipped bit', ['SR2'], signature => flip(signature)],
  [
    'with v 0 or 1',
    ['PAY-08'],
    signature => signature.slice(0, 130) + (signature.endsWith('1b') ? '00' : '01'),
  ],
  ['with v 29', ['SR2'], signature => `${signature.slice(0, 130)}1d`],
  [
    'with the other v',
    ['SR2'],
    signature => signature.slice(0, 130) + (signature.endsWith('1b') ? '1c' : '1b'),
  ],
  ['with a high s', ['PAY-08'], highS],
  [
    'wrapped for a contract wallet (ERC-6492)',
    ['D4', 'PAY-29'],
    signature => `0x${'00'.repeat(192)}${signature.slice(2)}${'6492'.repeat(16)}`,
    /contract wallet|not supported/i,
  ],
]

/** The signature itself: the signer, and the one form that the token accepts (D4, D5). */
export const PAYMENT_SIGNATURE_CHECKS: readonly Check[] = [
  ...WRONG.map(([name, rules, change, message]) =>
    refusalCheck(
      `signature ${name}`,
      ['D5', ...rules],
      `A signature ${name} is refused`,
      EXACT,
      { envelope: sendSignature(change) },
      message,
    ),
  ),
  refusalCheck(
    'signed by another',
    ['D5', 'SR2'],
    'A payment signed by another than from is refused',
    EXACT,
    async context => {
      const other = privateKeySigner(await context.crypto(), toHex(randomBytes(32)))
      return { sign: { from: (await context.stranger()).address }, signer: other }
    },
  ),
  acceptanceCheck(
    'signature in capitals',
    ['PAY-08'],
    'A signature in upper-case hex is the same signature',
    'Read hex in both cases.',
    {
      envelope: sendSignature(signature => `0x${signature.slice(2).toUpperCase()}`),
    },
  ),
]

/** Changes s and keeps r a valid point, so that recovery gives another signer or none. */
function flip(signature: string): string {
  const digit = Number.parseInt(signature.charAt(100), 16) ^ 1
  return signature.slice(0, 100) + digit.toString(16) + signature.slice(101)
}

/** The malleated form of a signature: mathematically valid, but refused by the token (EIP-2). */
function highS(signature: string): string {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v
}
