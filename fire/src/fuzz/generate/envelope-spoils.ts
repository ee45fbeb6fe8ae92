import { choose } from './choose.ts'
import type { Envelope } from './payment-draft.ts'
import { isEnvelope, payloadOf, type PaymentSpoil } from './payment-spoil.ts'

/** What can be wrong with the JSON that a payment's header holds. */
export function envelopeSpoils(): { readonly [name: string]: PaymentSpoil } {
  const changed = (envelope: NonNullable<PaymentSpoil['envelope']>): PaymentSpoil => ({
    check: 'payer',
    envelope,
  })
  return {
    'version wrong': changed((envelope, { pick }) => {
      envelope['x402Version'] = choose(pick, [0, 3, '2', null, 1.5, true, [2]])
    }),
    'payload wrong': changed((envelope, { pick }) => {
      envelope['payload'] = choose(pick, [undefined, null, 'x', [], {}, 7])
    }),
    'scheme wrong': changed((envelope, { pick }) => {
      home(envelope)['scheme'] = choose(pick, ['upto', 'EXACT', null, undefined, 1])
    }),
    'network wrong': changed((envelope, { pick }) => {
      home(envelope)['network'] = choose(pick, [
        'base',
        'eip155:1',
        'eip155:084532',
        'eip155:',
        84532,
        null,
        'solana:x',
      ])
    }),
    'accepted wrong': {
      check: 'payer',
      draft: draft => void (draft.version = 2),
      envelope(envelope, { pick }) {
        envelope['accepted'] = choose(pick, [undefined, null, [], {}, 'x', { scheme: 'exact' }])
      },
    },
    'asset wrong': acceptedWrong('asset', [null, 'USDC', `0x${'22'.repeat(20)}`, '']),
    'amount wrong': acceptedWrong('amount', [null, '', '01', '1.5', '0x1', 1_000]),
    'payee wrong': acceptedWrong('payTo', [null, '', '0x12', 7, `0x${'g'.repeat(40)}`]),
    'salt wrong': changed((envelope, { pick }) => {
      envelope['extensions'] = {
        'farebox-nonce': choose(pick, [null, {}, { salt: '0x' }, { salt: 1 }, 'x']),
      }
    }),
    'prototype reached for': changed(envelope => {
      const { payload } = envelope
      delete envelope['payload']
      Object.defineProperty(envelope, '__proto__', { value: { payload }, enumerable: true })
    }),
  }
}

/** A field of the `accepted` of v2 that is not even of its form. */
function acceptedWrong(field: string, values: readonly unknown[]): PaymentSpoil {
  return {
    check: 'payer',
    draft: draft => void (draft.version = 2),
    envelope(envelope, { pick }) {
      const { accepted } = envelope
      if (isEnvelope(accepted)) accepted[field] = choose(pick, values)
    },
  }
}

/** Where an envelope names scheme and network: v2 in `accepted`, v1 at the top. */
function home(envelope: Envelope): Envelope {
  const { accepted } = envelope
  return isEnvelope(accepted) ? accepted : envelope
}

/** What can be wrong with the form of what is signed. */
export function authorizationSpoils(): { readonly [name: string]: PaymentSpoil } {
  const wrong: { readonly [field: string]: readonly unknown[] } = {
    from: ['', '0x', 'x', null, 7, `0x${'g'.repeat(40)}`, `0x${'a'.repeat(41)}`],
    to: ['', '0x12', null, []],
    value: ['01', '0x1', '-1', '1.0', '', ' 1', '1e4', 10_000, null, '1'.repeat(79), String(2n ** 256n)],
    validAfter: ['', '-1', '1.5', 'now', null, 0, String(2n ** 47n)],
    validBefore: ['', '1e12', null, 4e9, String(2n ** 47n), String(2n ** 255n)],
    nonce: ['', '0x', null, `0x${'0'.repeat(63)}`, `0x${'0'.repeat(66)}`, 'x'.repeat(66)],
  }
  const spoils = Object.entries(wrong).map(([field, values]): [string, PaymentSpoil] => [
    `authorization.${field} wrong`,
    {
      check: 'payer',
      envelope(envelope, { pick }) {
        const authorization = payloadOf(envelope)['authorization']
        if (isEnvelope(authorization)) authorization[field] = choose(pick, values)
      },
    },
  ])
  return Object.fromEntries(spoils)
}
