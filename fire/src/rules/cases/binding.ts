import { randomBytes } from 'node:crypto'
import { HOLD_EXTENSION } from '@farebox/payments/facilitator-api'
import { localUsdcDeployedBytecode } from '@farebox/contracts/local-usdc'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Authorization } from '@farebox/payments/authorization'
import type { Draft, DraftTerms, SignOptions } from '../draft.ts'
import { paymentCase, type PaymentCase } from '../payment-case.ts'
import { numbered, type UnnumberedCase } from '../rule-case.ts'

const OTHER = TEST_KEYS.stranger.address.toLowerCase()
const ZERO = `0x${'00'.repeat(20)}`
/** Where a second token with the very same code is put: only its address tells it apart. */
const TWIN = '0x00000000000000000000000000000000000fa4e0'

type Place = 'what is asked' | 'what was accepted' | 'both'

function inJson(change: Partial<DraftTerms>, words: string): readonly UnnumberedCase[] {
  const places: readonly Place[] = ['what is asked', 'what was accepted', 'both']
  return places.map(place =>
    paymentCase({
      sent: `${words}, in ${place === 'both' ? 'all of the JSON' : place}; the signature is as it was`,
      expected: 'refused',
      change: ({ body, terms }) => {
        if (place === 'both') terms(change)
        else if (place === 'what is asked') Object.assign(body.paymentRequirements, change)
        else Object.assign(body.paymentPayload.accepted, change)
      },
    }),
  )
}

function signedFor(options: SignOptions, words: string): UnnumberedCase {
  return paymentCase({
    sent: `signed for ${words}; the JSON is as it was`,
    expected: 'refused',
    change: draft => draft.sign({}, options),
  })
}

function unsigned(field: keyof Authorization, value: string | ((draft: Draft) => string)): UnnumberedCase {
  return paymentCase({
    sent: `authorization.${field} replaced after signing`,
    expected: 'refused',
    change: draft => {
      draft.body.paymentPayload.payload.authorization = {
        ...draft.signed,
        [field]: typeof value === 'string' ? value : value(draft),
      }
    },
  })
}

const resigned: readonly PaymentCase[] = [
  {
    sent: 'signed to another wallet than is asked',
    expected: 'refused',
    change: draft => draft.sign({ to: OTHER }),
  },
  {
    sent: 'signed to the other wallet of the same owner',
    expected: 'refused',
    change: (draft, { subject }) => draft.sign({ to: subject.secondPayTo.toLowerCase() }),
  },
  { sent: 'signed to the zero address', expected: 'refused', change: draft => draft.sign({ to: ZERO }) },
  {
    sent: 'signed for one unit less than is asked',
    expected: 'refused',
    change: draft => draft.sign({ value: '9999' }),
  },
  {
    sent: 'signed for one unit more than is asked, and covered',
    expected: 'refused',
    balanceAtomic: 20_000n,
    change: draft => draft.sign({ value: '10001' }),
  },
  {
    sent: 'one unit less, signed and accepted; asked as it was',
    expected: 'refused',
    change: draft => {
      draft.sign({ value: '9999' })
      draft.body.paymentPayload.accepted.amount = '9999'
    },
  },
  {
    sent: 'another wallet, signed and accepted; asked as it was',
    expected: 'refused',
    change: draft => {
      draft.sign({ to: OTHER })
      draft.body.paymentPayload.accepted.payTo = OTHER
    },
  },
]

const both: readonly PaymentCase[] = [
  {
    sent: 'chain 8453 in the JSON and in the signature',
    expected: 'refused',
    change: draft => {
      draft.terms({ network: 'eip155:8453' })
      draft.sign({}, { chainId: 8453 })
    },
  },
  {
    sent: 'a token with the same code at another address, in the JSON and in the signature, and funded',
    expected: 'refused',
    change: async (draft, { token }) => {
      await token.setCode(TWIN, localUsdcDeployedBytecode)
      await token.mint(draft.payer, 10_000n, TWIN)
      draft.terms({ asset: TWIN })
      draft.sign({}, { verifyingContract: TWIN })
    },
  },
  {
    sent: 'another EIP-712 name in extra and in the signature',
    expected: 'refused',
    change: draft => {
      draft.terms({ extra: { name: 'Not USDC', version: '2' } })
      draft.sign({}, { name: 'Not USDC' })
    },
  },
  {
    sent: 'another EIP-712 name in extra alone',
    expected: 'truthful',
    change: draft => draft.terms({ extra: { name: 'Not USDC', version: '2' } }),
  },
]

const spelling: readonly PaymentCase[] = [
  { sent: 'a good payment', expected: 'settled', change: () => undefined },
  {
    sent: 'a good payment, its addresses in small letters in the JSON',
    expected: 'settled',
    change: ({ body }, { subject }) => {
      body.paymentRequirements.payTo = subject.payTo.toLowerCase()
      body.paymentPayload.accepted.payTo = subject.payTo
    },
  },
  {
    sent: 'a good payment, its addresses in capitals in the JSON, which is no checksum',
    expected: 'truthful',
    promise: 'settled',
    change: ({ body, payer }, { subject }) => {
      const capitals = (address: string): string => `0x${address.slice(2).toUpperCase()}`
      body.paymentRequirements.payTo = capitals(subject.payTo)
      body.paymentPayload.accepted.payTo = subject.payTo.toLowerCase()
      body.paymentPayload.payload.authorization.from = capitals(payer)
    },
  },
  {
    sent: 'a good payment with fields nobody knows',
    expected: 'settled',
    change: ({ body }) => {
      Object.assign(body, { note: 'hello' })
      Object.assign(body.paymentPayload, { extensions: { 'somebody-elses': { x: 1 } } })
      Object.assign(body.paymentPayload.payload, { memo: [1, 2, 3] })
    },
  },
]

/** What a payment is for, in the hold extension: the resource, where x402 has no field that is bound. */
function bound(binding: string): object {
  return { [HOLD_EXTENSION]: { binding } }
}

const resource: readonly PaymentCase[] = [
  {
    sent: 'verified for one job, settled for another',
    expected: 'refused',
    needs: ['holds'],
    change: ({ body }) => Object.assign(body, { extensions: bound(random()) }),
    between: async ({ body }) => Object.assign(body, { extensions: bound(random()) }),
  },
  {
    sent: 'verified for one job, settled for none',
    expected: 'refused',
    needs: ['holds'],
    change: ({ body }) => Object.assign(body, { extensions: bound(random()) }),
    between: async ({ body }) => delete body.extensions,
  },
]

function random(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

/** SR1: scheme, network, asset, wallet, amount and resource, in the JSON, in the signature and in both. */
export const bindingCases = numbered('SR1', [
  ...spelling.map(paymentCase),
  ...inJson({ scheme: 'upto' }, 'scheme "upto"'),
  ...inJson({ network: 'eip155:8453' }, 'network eip155:8453'),
  ...inJson({ network: 'base-sepolia' }, 'network "base-sepolia"'),
  ...inJson({ asset: OTHER }, 'another asset'),
  ...inJson({ payTo: OTHER }, 'another wallet'),
  ...inJson({ amount: '9999' }, 'one unit less'),
  ...inJson({ amount: '10001' }, 'one unit more'),
  signedFor({ chainId: 8453 }, 'chain 8453'),
  signedFor({ chainId: 1 }, 'chain 1'),
  signedFor({ verifyingContract: OTHER }, 'another token'),
  signedFor({ verifyingContract: ZERO }, 'no token (zero address)'),
  signedFor({ name: 'USD Coin' }, 'the token’s name on another chain, "USD Coin"'),
  signedFor({ version: '1' }, 'version 1 of the token'),
  unsigned('from', OTHER),
  unsigned('to', OTHER),
  unsigned('value', '9999'),
  unsigned('validAfter', '1'),
  unsigned('validBefore', ({ signed }) => String(Number(signed.validBefore) + 1)),
  unsigned('nonce', () => random()),
  ...resigned.map(paymentCase),
  ...both.map(paymentCase),
  ...resource.map(paymentCase),
  ...[1, 3, '2', null].map(version =>
    paymentCase({
      sent: `x402Version ${JSON.stringify(version)} around a v2 payment`,
      // Both numbers name one form here: nobody is harmed by either answer.
      expected: 'truthful',
      promise: 'refused',
      change: ({ body }) => {
        body.x402Version = version
        body.paymentPayload.x402Version = version
      },
    }),
  ),
])
