import type { Random } from '../../simulator/seeded-random.ts'
import type { Refusal } from '../oracle/expected-answer.ts'
import {
  EXECUTE_URL,
  otherNetwork,
  type Envelope,
  type NamedJob,
  type PaymentDraft,
  type PaymentMaker,
} from './payment-draft.ts'

/** What a spoil of a payment may look at. */
export interface PaymentScene {
  readonly random: Random
  readonly maker: PaymentMaker
  readonly nowSeconds: number
  readonly job: NamedJob
}

/** One thing wrong with a payment: done before it is signed, to the envelope, or to the header's text. */
export interface PaymentSpoil {
  readonly check: Refusal['check']
  /** Before signing: the signature stays good. */
  readonly draft?: (draft: PaymentDraft, scene: PaymentScene) => void
  /** After signing. */
  readonly envelope?: (envelope: Envelope, scene: PaymentScene) => void
  /** JSON text to header text; default: base64. */
  readonly encode?: (json: string, scene: PaymentScene) => string
  /** The header's values as sent, each with the name it is sent under. */
  readonly headers?: (header: string) => readonly (readonly [string, string])[]
}

/** Every way we know to get a payment wrong, by name. */
export const PAYMENT_SPOILS: { readonly [name: string]: PaymentSpoil } = {
  ...headerSpoils(),
  ...envelopeSpoils(),
  ...authorizationSpoils(),
  ...signatureSpoils(),
  ...termsSpoils(),
}

function headerSpoils(): { readonly [name: string]: PaymentSpoil } {
  const encoded = (encode: NonNullable<PaymentSpoil['encode']>): PaymentSpoil => ({ check: 'payer', encode })
  return {
    'header empty': encoded(() => ''),
    'header garbage': encoded((_, { random }) =>
      random.pick(['x', '====', 'null', '{}', '%', 'a b', 'Bearer x']),
    ),
    'header of no object': encoded((_, { random }) =>
      btoa(random.pick(['null', '1', '[]', '"x"', 'true', ''])),
    ),
    'header base64url': encoded(json => `${btoa(json).replace(/=+$/, '')}-_`),
    'header cut': encoded((json, { random }) => btoa(json.slice(0, random.between(1, json.length - 1)))),
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

function envelopeSpoils(): { readonly [name: string]: PaymentSpoil } {
  const changed = (envelope: NonNullable<PaymentSpoil['envelope']>): PaymentSpoil => ({
    check: 'payer',
    envelope,
  })
  return {
    'version wrong': changed((envelope, { random }) => {
      envelope['x402Version'] = random.pick([0, 3, '2', null, 1.5, true, [2]])
    }),
    'payload wrong': changed((envelope, { random }) => {
      envelope['payload'] = anyOf(random, [undefined, null, 'x', [], {}, 7])
    }),
    'scheme wrong': changed((envelope, { random }) => {
      home(envelope)['scheme'] = anyOf(random, ['upto', 'EXACT', null, undefined, 1])
    }),
    'network wrong': changed((envelope, { random }) => {
      home(envelope)['network'] = anyOf(random, [
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
      envelope(envelope, { random }) {
        envelope['accepted'] = anyOf(random, [undefined, null, [], {}, 'x', { scheme: 'exact' }])
      },
    },
    'asset wrong': {
      check: 'payer',
      draft: draft => void (draft.version = 2),
      envelope(envelope, { random }) {
        const { accepted } = envelope
        if (isEnvelope(accepted))
          accepted['asset'] = anyOf(random, [null, 'USDC', `0x${'22'.repeat(20)}`, ''])
      },
    },
    'salt wrong': changed((envelope, { random }) => {
      envelope['extensions'] = {
        'farebox-nonce': anyOf(random, [null, {}, { salt: '0x' }, { salt: 1 }, 'x']),
      }
    }),
    'prototype reached for': changed(envelope => {
      const { payload } = envelope
      delete envelope['payload']
      Object.defineProperty(envelope, '__proto__', { value: { payload }, enumerable: true })
    }),
  }
}

/** Where an envelope names scheme and network: v2 in `accepted`, v1 at the top. */
function home(envelope: Envelope): Envelope {
  const { accepted } = envelope
  return isEnvelope(accepted) ? accepted : envelope
}

function authorizationSpoils(): { readonly [name: string]: PaymentSpoil } {
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
      envelope(envelope, { random }) {
        const authorization = payloadOf(envelope)['authorization']
        if (isEnvelope(authorization)) authorization[field] = random.pick(values)
      },
    },
  ])
  return Object.fromEntries(spoils)
}

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function signatureSpoils(): { readonly [name: string]: PaymentSpoil } {
  const signed = (change: (signature: string, scene: PaymentScene) => unknown): PaymentSpoil => ({
    check: 'payer',
    envelope(envelope, scene) {
      const payload = payloadOf(envelope)
      payload['signature'] = change(String(payload['signature']), scene)
    },
  })
  return {
    'signature of the wrong kind': signed((_, { random }) =>
      anyOf(random, [null, 7, '', 'x', '0x', {}, `0x${'0'.repeat(130)}`]),
    ),
    'signature short': signed(signature => signature.slice(0, 130)),
    'signature long': signed(signature => `${signature}00`),
    'signature v wrong': signed(
      (signature, { random }) => signature.slice(0, 130) + random.pick(['00', '01', '1a', '1d', 'ff']),
    ),
    'signature v flipped': signed(signature =>
      // One that is wrong already must not be made right.
      /1[bc]$/.test(signature) ? signature.slice(0, -1) + (signature.endsWith('b') ? 'c' : 'b') : signature,
    ),
    'signature s high': signed(signature => {
      if (signature.length !== 132) return signature
      const s = N - BigInt(`0x${signature.slice(66, 130)}`)
      const v = signature.endsWith('1b') ? '1c' : '1b'
      return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v
    }),
    'signature bit flipped': signed((signature, { random }) => {
      if (signature.length !== 132) return ''
      const at = random.between(2, 129)
      const digit = (Number.parseInt(signature[at] ?? '0', 16) ^ 1).toString(16)
      return signature.slice(0, at) + digit + signature.slice(at + 1)
    }),
    "signature another's": { check: 'payer', draft: draft => void (draft.signer = (draft.signer + 1) % 3) },
    'signature for another chain': { check: 'payer', draft: draft => void (draft.network = otherNetwork()) },
  }
}

function termsSpoils(): { readonly [name: string]: PaymentSpoil } {
  const agreed = (draft: NonNullable<PaymentSpoil['draft']>): PaymentSpoil => ({ check: 'terms', draft })
  const inSeconds = (seconds: readonly number[], field: 'validAfter' | 'validBefore'): PaymentSpoil =>
    agreed(({ authorization }, { random, nowSeconds }) => {
      authorization[field] = String(Math.max(0, Math.floor(nowSeconds) + random.pick(seconds)))
    })
  return {
    'accepted disagrees': {
      check: 'terms',
      draft: draft => void (draft.version = 2),
      envelope(envelope, { random }) {
        const { accepted } = envelope
        if (!isEnvelope(accepted)) return
        if (random.chance(0.5)) accepted['amount'] = '1'
        else accepted['payTo'] = `0x${'11'.repeat(20)}`
      },
    },
    'pays another wallet': agreed(({ authorization }) => void (authorization.to = `0x${'11'.repeat(20)}`)),
    'pays another amount': agreed(({ authorization }, { random }) => {
      const more = BigInt(random.pick(['-1', '1', '10000000', '-10000', String(2n ** 200n)]))
      const value = BigInt(authorization.value) + more
      authorization.value = String(value < 0n ? 0n : value)
    }),
    'not good yet': inSeconds([1, 60, 1e9], 'validAfter'),
    expired: inSeconds([-1e9, -1, 0], 'validBefore'),
    'ends too soon': inSeconds([1, 5, 9], 'validBefore'),
    'ends too late': inSeconds([86_402, 1e9], 'validBefore'),
    'bound to another job': agreed((draft, { maker, random, job }) => {
      maker.bind(
        draft,
        random,
        random.pick([
          { ...job, jobId: random.uuid() },
          { ...job, capability: `${job.capability}x` },
          { ...job, endpoint: `${EXECUTE_URL}/` },
        ]),
      )
    }),
    'bound without salt': agreed((draft, { maker, random, job }) => {
      maker.bind(draft, random, job)
      draft.salt = undefined
    }),
  }
}

function payloadOf(envelope: Envelope): Envelope {
  const { payload } = envelope
  return isEnvelope(payload) ? payload : {}
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One of the list, which may hold undefined. */
function anyOf(random: Random, list: readonly unknown[]): unknown {
  return list[random.between(0, list.length - 1)]
}
