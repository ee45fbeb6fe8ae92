import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { PaymentDraft, DraftTerms, DraftSigning } from '../../trial/draft.ts'
import { STRANGER } from '../../trial/local-accounts.ts'
import { paymentCase } from '../../trial/payment-case.ts'
import { numbered, type UnnumberedCase } from '../../trial/rule-case.ts'
import { agreeingCases, resignedCases } from './resigned.ts'
import { random, resourceCases } from './resource.ts'
import { spellingCases } from './spelling.ts'

const OTHER = STRANGER.address.toLowerCase()
const ZERO = `0x${'00'.repeat(20)}`

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

function signedFor(options: DraftSigning, words: string): UnnumberedCase {
  return paymentCase({
    sent: `signed for ${words}; the JSON is as it was`,
    expected: 'refused',
    change: draft => draft.sign({}, options),
  })
}

function unsigned(
  field: keyof Authorization,
  value: string | ((draft: PaymentDraft) => string),
): UnnumberedCase {
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

/** SR1: scheme, network, asset, wallet, amount and resource, in the JSON, in the signature and in both. */
export const bindingCases = numbered('SR1', [
  ...spellingCases.map(paymentCase),
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
  ...resignedCases.map(paymentCase),
  ...agreeingCases.map(paymentCase),
  ...resourceCases.map(paymentCase),
  ...[1, 3, '2', null].map(version =>
    paymentCase({
      sent: `x402Version ${JSON.stringify(version)} around a v2 payment`,
      // Both numbers name the same form here, so either response is acceptable.
      expected: 'truthful',
      promise: 'refused',
      change: ({ body }) => {
        body.x402Version = version
        body.paymentPayload.x402Version = version
      },
    }),
  ),
])
