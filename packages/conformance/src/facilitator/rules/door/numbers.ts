import { paymentCase } from '../../trial/payment-case.ts'
import type { UnnumberedCase, Verdict } from '../../trial/rule-case.ts'

/** Spellings of 10000 that only some parsers accept, and spellings that are not a number. */
const SPELLINGS: readonly (readonly [unknown, Verdict])[] = [
  ['', 'refused'],
  [' 10000 ', 'truthful'],
  ['0x2710', 'truthful'],
  ['1e4', 'refused'],
  ['-10000', 'refused'],
  ['10000.0', 'refused'],
  ['+10000', 'truthful'],
  ['010000', 'truthful'],
  ['１００００', 'refused'],
  ['10,000', 'refused'],
  [10_000, 'truthful'],
  [true, 'refused'],
  [null, 'refused'],
  [['10000'], 'truthful'],
  [{}, 'refused'],
  [((1n << 256n) + 10_000n).toString(), 'refused'],
]

const TIMES: readonly (readonly [unknown, Verdict])[] = [
  ['', 'refused'],
  ['0x0', 'truthful'],
  ['-1', 'refused'],
  ['0.0', 'refused'],
  [0, 'truthful'],
  [null, 'refused'],
  [false, 'refused'],
]

function spell(value: unknown): string {
  return value === '' ? '""' : (JSON.stringify(value) ?? '').slice(0, 40)
}

/** Numbers in other forms than decimal strings. */
export const numberCases: readonly UnnumberedCase[] = [
  ...SPELLINGS.map(([value, expected]) =>
    paymentCase({
      sent: `authorization.value ${spell(value)}`,
      expected,
      promise: 'refused',
      change: ({ body }) => {
        body.paymentPayload.payload.authorization.value = value
      },
    }),
  ),
  ...SPELLINGS.filter(([value]) => typeof value === 'string').map(([value, expected]) =>
    paymentCase({
      sent: `amount ${spell(value)}, asked and accepted`,
      expected,
      promise: 'refused',
      change: ({ terms }) => terms({ amount: value }),
    }),
  ),
  ...TIMES.map(([value, expected]) =>
    paymentCase({
      sent: `authorization.validAfter ${spell(value)}`,
      expected,
      promise: 'refused',
      change: ({ body }) => {
        body.paymentPayload.payload.authorization.validAfter = value
      },
    }),
  ),
]
