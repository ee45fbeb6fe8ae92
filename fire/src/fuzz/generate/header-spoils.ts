import { choose } from './choose.ts'
import type { PaymentSpoil } from './payment-spoil.ts'

/** What can be wrong with a payment's header before anybody reads what is in it. */
export function headerSpoils(): { readonly [name: string]: PaymentSpoil } {
  const encoded = (encode: NonNullable<PaymentSpoil['encode']>): PaymentSpoil => ({ check: 'payer', encode })
  return {
    'header empty': encoded(() => ''),
    'header garbage': encoded((_, { pick }) =>
      choose(pick, ['x', '====', 'null', '{}', '%', 'a b', 'Bearer x']),
    ),
    'header of no object': encoded((_, { pick }) =>
      btoa(choose(pick, ['null', '1', '[]', '"x"', 'true', ''])),
    ),
    'header base64url': encoded(json => `${btoa(json).replace(/=+$/, '')}-_`),
    'header cut': encoded((json, { pick }) => btoa(json.slice(0, 1 + (pick % (json.length - 1))))),
    'header not utf-8': encoded(() => btoa('{"x402Version":2,"a":"\xff\xfe"}')),
    'header with bom': encoded(json => btoa(`\xef\xbb\xbf${json}`)),
    'header overpadded': encoded(json => `${btoa(json).replace(/=+$/, '')}====`),
    'header huge': encoded(json => btoa(json + ' '.repeat(12_000))),
    'header deep': encoded(() => btoa('['.repeat(4_000) + ']'.repeat(4_000))),
    'header twice': {
      check: 'payer',
      headers: header => [
        ['payment-signature', header],
        ['payment-signature', header],
      ],
    },
    'header under both names': {
      check: 'payer',
      headers: header => [
        ['x-payment', header],
        ['payment-signature', header],
      ],
    },
  }
}
