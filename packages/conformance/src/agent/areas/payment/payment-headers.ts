import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { NEEDS, type Check } from '../../check/check.ts'
import { expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader, sendAccepted, type Envelope } from '../../check/forge-payment.ts'
import { acceptanceCheck, expectRefused, expectPaymentTaken } from './judge-payment.ts'
import { rawRequest, sendRaw } from '../../check/raw-request.ts'

const GARBAGE_FIX =
  'Decode strictly: standard base64, UTF-8, one JSON object; answer 402 payment for anything else.'

/** Headers that contain no envelope (PAY-34). */
const GARBAGE: readonly (readonly [name: string, header: string])[] = [
  ['no base64', '!!!!'],
  ['base64 with a character too many', 'e30=='],
  ['base64 of five characters', 'e30a5'],
  ['base64 of a space', btoa(' ')],
  ['base64 of no JSON', btoa('not json')],
  ['base64 of a JSON array', btoa('[]')],
  ['base64 of null', btoa('null')],
  ['base64 of a number', btoa('7')],
  ['base64 of a text', btoa('"x"')],
  ['base64 of an empty object', btoa('{}')],
  ['base64 of invalid UTF-8', btoa('{"a":"\u00ff"}')],
  ['base64 of UTF-16', btoa('{\0}\0')],
  ['base64 of a byte order mark and an object', btoa('\u00ef\u00bb\u00bf{}')],
  ['base64 of 2,000 levels', btoa('['.repeat(2_000) + ']'.repeat(2_000))],
  ['plain JSON', '{"x402Version":2}'],
]

/** Envelopes with a missing or a wrong value (D4). */
const WRONG_ENVELOPES: readonly (readonly [name: string, change: (envelope: Envelope) => unknown])[] = [
  ['x402Version 3', envelope => ({ ...envelope, x402Version: 3 })],
  ['x402Version "2"', envelope => ({ ...envelope, x402Version: '2' })],
  ['no x402Version', ({ x402Version: _, ...rest }) => rest],
  ['scheme upto', sendAccepted({ scheme: 'upto' })],
  ['no scheme', sendAccepted({ scheme: undefined })],
  ['no accepted', ({ accepted: _, ...rest }) => rest],
  ['accepted null', envelope => ({ ...envelope, accepted: null })],
  ['no payload', ({ payload: _, ...rest }) => rest],
  ['payload an array', envelope => ({ ...envelope, payload: [] })],
  [
    'no authorization',
    envelope => ({ ...envelope, payload: { signature: (envelope['payload'] as Envelope)['signature'] } }),
  ],
  [
    'no signature',
    envelope => ({
      ...envelope,
      payload: { authorization: (envelope['payload'] as Envelope)['authorization'] },
    }),
  ],
]

/**
 * The envelope in the payment header: which ones are accepted, and which are refused before the signature is verified (D4).
 */
export const PAYMENT_HEADER_CHECKS: readonly Check[] = [
  ...GARBAGE.map(([name, header]): Check => ({
    id: `payment-headers/${name}`,
    rules: ['D4', 'PAY-34'],
    title: `A payment header that is ${name} is refused`,
    fix: GARBAGE_FIX,
    needs: NEEDS.looksAtPayments,
    run: async context => void (await expectRefused(context, header)),
  })),
  ...WRONG_ENVELOPES.map(([name, envelope]): Check => ({
    id: `payment-headers/${name}`,
    rules: ['D4', 'PAY-34'],
    title: `A payment envelope with ${name} is refused`,
    fix: 'Check every part of the envelope before using any.',
    needs: NEEDS.looksAtPayments,
    run: async context => void (await expectRefused(context, await forgeHeader(context, { envelope }))),
  })),
  {
    id: 'payment-headers/base64url',
    rules: ['D4'],
    title: 'A payment header in the URL alphabet of base64 is refused',
    fix: 'Take the standard alphabet alone.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const envelope = (whole: Envelope): Envelope => ({ ...whole, resource: { url: '????>>>>~~~~' } })
      const header = await forgeHeader(context, { envelope })
      await expectPaymentTaken(context, header)
      expectThat(/[+/]/.test(header), 'a header that uses the whole alphabet', header.slice(0, 20))
      await expectRefused(context, header.replaceAll('+', '-').replaceAll('/', '_'))
    },
  },
  acceptanceCheck('v2', ['D4'], 'The v2 envelope is read', 'Read {x402Version: 2, accepted, payload}.', {}),
  acceptanceCheck(
    'v1',
    ['D4'],
    'The v1 envelope is read, its network as eip155:<id>',
    'Read {x402Version: 1, scheme, network, payload}.',
    async context => {
      const { network } = await context.terms()
      return {
        envelope: ({ payload }) => ({ x402Version: 1, scheme: 'exact', network: network.id, payload }),
      }
    },
  ),
  acceptanceCheck(
    'without padding',
    ['D4', 'PAY-08'],
    'Base64 without its padding is read',
    'Make padding optional.',
    {
      envelope: whole => encodeHeader({ ...whole, pad: padToNeed(whole) }).replace(/=+$/, ''),
    },
  ),
  acceptanceCheck(
    'extra fields',
    ['D4', 'PAY-34'],
    'Fields of the envelope that nobody knows are ignored',
    'Read what you need and leave the rest.',
    {
      envelope: whole => ({
        ...whole,
        resource: { url: 'https://x.example' },
        extensions: { other: { a: 1 } },
        more: [1],
      }),
    },
  ),
  acceptanceCheck(
    'reordered',
    ['PAY-08'],
    'The order of keys in the envelope does not matter',
    'Parse the envelope as JSON.',
    {
      envelope: whole => Object.fromEntries(Object.entries(whole).toReversed()),
    },
  ),
  {
    id: 'payment-headers/alias',
    rules: ['D4', 'PAY-35'],
    title: 'X-PAYMENT alone is read like PAYMENT-SIGNATURE',
    fix: 'Accept the older name when it is alone.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const headers = { 'content-type': 'application/json', 'x-payment': await forgeHeader(context) }
      const body = JSON.stringify(await context.jobBody({ deadline: 1 }))
      expectFailure(await context.send({ method: 'POST', path: '/execute', headers, body }), 408, 'deadline')
    },
  },
  {
    id: 'payment-headers/both names',
    rules: ['D4', 'PAY-35'],
    title: 'PAYMENT-SIGNATURE and X-PAYMENT together are refused, even when both are good',
    fix: 'Count payment headers under both names; more than one is 402.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const payment = await forgeHeader(context)
      const headers = {
        'content-type': 'application/json',
        'payment-signature': payment,
        'x-payment': payment,
      }
      const body = JSON.stringify(await context.jobBody({ deadline: 1 }))
      expectFailure(await context.send({ method: 'POST', path: '/execute', headers, body }), 402, 'payment')
    },
  },
  {
    id: 'payment-headers/twice',
    rules: ['D4', 'PAY-35'],
    title: 'Two PAYMENT-SIGNATURE headers are refused, even when both are good',
    fix: 'Read the raw list of headers: many servers join repeated ones.',
    needs: { ...NEEDS.looksAtPayments, socket: true },
    async run(context) {
      const body = JSON.stringify(await context.jobBody({ deadline: 1 }))
      const payment = `PAYMENT-SIGNATURE: ${await forgeHeader(context)}`
      const headers = [
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        payment,
        payment,
        'Connection: close',
      ]
      const path = `${new URL(context.baseUrl).pathname.replace(/\/$/, '')}/execute`
      const bytes = rawRequest(context.baseUrl, { line: `POST ${path} HTTP/1.1`, headers, body })
      expectFailure(await sendRaw(context, bytes), 402, 'payment')
    },
  },
]

/** Pads the envelope so that its base64 ends with padding characters. */
function padToNeed(envelope: Envelope): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...envelope, pad: '' })).length
  return 'x'.repeat((4 - (bytes % 3)) % 3)
}
