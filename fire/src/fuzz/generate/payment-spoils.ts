import { findNetwork, type Network } from '@farebox/payments/networks'
import type { Check } from '../oracle/expected-answer.ts'
import { EXECUTE_URL } from '../run/fuzz-stage.ts'
import { choose, isObject, putAt, type OpenObject } from './wrong-values.ts'

/** A payment while it is being made: right until a spoil changes it. */
export interface PaymentDraft {
  version: 1 | 2
  readonly authorization: { [field in AuthorizationField]: string }
  salt: string | undefined
  /** Which wallet signs, from 0; `authorization.from` says whose payment it claims to be. */
  signer: number
  /** Whose domain is signed. */
  network: Network
}

type AuthorizationField = 'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce'

/** What a payment is for. */
export interface PaymentTerms {
  /** Decimal atomic units. */
  readonly amount: string
  readonly nowSeconds: number
  readonly job: NamedJob
}

/** What a payment is bound to. */
export interface NamedJob {
  readonly endpoint: string
  readonly capability: string
  readonly jobId: string
}

/** What a spoil of a payment may read. */
interface PaymentScene extends PaymentTerms {
  /** Which of its values a spoil takes. */
  readonly pick: number
  /** Binds the nonce of the draft to a job. */
  readonly bind: (draft: PaymentDraft, named: NamedJob) => void
}

/** One thing wrong with a payment: done before it is signed, to the envelope, or to the header's text. */
export interface PaymentSpoil {
  readonly check: Check
  /** Before signing: the signature stays good. */
  readonly draft?: (draft: PaymentDraft, scene: PaymentScene) => void
  /** After signing. */
  readonly envelope?: (envelope: OpenObject, scene: PaymentScene) => void
  /** JSON text to header text; default: base64. */
  readonly encode?: (json: string, pick: number) => string
  /** The names that the header is sent under. */
  readonly names?: readonly string[]
}

/** A network of the table that is not the agent's. */
export const OTHER_NETWORK = networkOf('eip155:8453')

const ADDRESS = `0x${'11'.repeat(20)}`
const NO_ADDRESS = [null, '', '0x', 7, '0x12', `0x${'g'.repeat(40)}`]
const NO_AMOUNT = [null, '', '01', '1.5', '0x1', '-1', ' 1', '1e4', 1_000]

/** Values that are wrong wherever they are put, each at its path in the JSON that a payment's header holds. */
const WRONG_FIELDS: { readonly [path: string]: readonly unknown[] } = {
  x402Version: [0, 3, '2', null, 1.5, true, [2]],
  payload: [undefined, null, 'x', [], {}, 7],
  scheme: ['upto', 'EXACT', null, undefined, 1],
  network: ['base', 'eip155:1', 'eip155:084532', 'eip155:', 84532, null, 'solana:x'],
  accepted: [undefined, null, [], {}, 'x', { scheme: 'exact' }],
  'accepted/asset': ['USDC', `0x${'22'.repeat(20)}`, ...NO_ADDRESS],
  'accepted/amount': NO_AMOUNT,
  'accepted/payTo': NO_ADDRESS,
  extensions: [null, {}, { salt: '0x' }, { salt: 1 }, 'x'].map(value => ({ 'farebox-nonce': value })),
  'payload/signature': [
    null,
    7,
    'x',
    '0x',
    `0x${'0'.repeat(128)}`,
    `0x${'0'.repeat(130)}`,
    `0x${'0'.repeat(132)}`,
  ],
  'payload/authorization': [undefined, null, 'x', []],
  'payload/authorization/from': NO_ADDRESS,
  'payload/authorization/to': NO_ADDRESS,
  'payload/authorization/value': [...NO_AMOUNT, '1'.repeat(79), String(2n ** 256n)],
  'payload/authorization/validAfter': ['', '-1', '1.5', 'now', null, 0, String(2n ** 47n)],
  'payload/authorization/validBefore': ['', '1e12', null, 4e9, String(2n ** 47n), String(2n ** 255n)],
  'payload/authorization/nonce': ['', '0x', null, `0x${'0'.repeat(63)}`, `0x${'0'.repeat(66)}`],
}

/** What can be wrong with what a payment pays, though its payer signed it. */
const WRONG_TERMS: { readonly [name: string]: PaymentSpoil['draft'] } = {
  'pays another wallet': ({ authorization }) => void (authorization.to = ADDRESS),
  'pays another amount': ({ authorization }, { pick }) => {
    const value = BigInt(authorization.value) + choose(pick, [-1n, 1n, 10_000_000n, -10_000n, 2n ** 200n])
    authorization.value = String(value < 0n ? 0n : value)
  },
  'not good yet': inSeconds([1, 60, 1e9], 'validAfter'),
  expired: inSeconds([-1e9, -1, 0], 'validBefore'),
  'ends too soon': inSeconds([1, 5, 9], 'validBefore'),
  'ends too late': inSeconds([86_402, 1e9], 'validBefore'),
  'bound to another job': (draft, { bind, pick, job }) => {
    const others: readonly NamedJob[] = [
      { ...job, jobId: otherJobId(job.jobId, 1) },
      { ...job, capability: `${job.capability}x` },
      { ...job, endpoint: `${EXECUTE_URL}/` },
    ]
    bind(draft, choose(pick, others))
  },
  'bound without salt': (draft, { bind, job }) => {
    bind(draft, job)
    draft.salt = undefined
  },
}

/** Every way we know to get a payment wrong, by name. */
export const PAYMENT_SPOILS: { readonly [name: string]: PaymentSpoil } = {
  'header of no payment': {
    check: 'payer',
    encode: (_, pick) =>
      choose(pick, ['', 'x', '====', '%', 'a b', btoa('null'), btoa('[]'), btoa('{"a":"\xff"}')]),
  },
  'header cut': {
    check: 'payer',
    encode: (json, pick) => btoa(json.slice(0, 1 + (pick % (json.length - 1)))),
  },
  'header huge': { check: 'payer', encode: json => btoa(json + ' '.repeat(12_000)) },
  'header twice': { check: 'payer', names: ['payment-signature', 'payment-signature'] },
  'header under both names': { check: 'payer', names: ['x-payment', 'payment-signature'] },
  ...Object.fromEntries(
    Object.entries(WRONG_FIELDS).map(([path, values]) => [`${path} wrong`, wrongField(path, values)]),
  ),
  "signature another's": { check: 'payer', draft: draft => void (draft.signer = (draft.signer + 1) % 3) },
  'signature for another chain': { check: 'payer', draft: draft => void (draft.network = OTHER_NETWORK) },
  'signature of a changed payment': {
    check: 'payer',
    envelope: (envelope, { pick }) =>
      putAt(envelope, 'payload/authorization/nonce', `0x${pick.toString(16).padStart(64, '0')}`),
  },
  ...Object.fromEntries(
    Object.entries(WRONG_TERMS).map(([name, draft]) => [name, { check: 'terms', draft } as PaymentSpoil]),
  ),
  'accepted disagrees': {
    check: 'terms',
    draft: draft => void (draft.version = 2),
    envelope: (envelope, { pick }) =>
      pick % 2 === 0 ? putAt(envelope, 'accepted/amount', '1') : putAt(envelope, 'accepted/payTo', ADDRESS),
  },
}

/** A field that is not even of its form. */
function wrongField(path: string, values: readonly unknown[]): PaymentSpoil {
  return {
    check: 'payer',
    draft(draft) {
      if (path.startsWith('accepted')) draft.version = 2
    },
    envelope(envelope, { pick }) {
      // v2 names scheme and network in `accepted`, v1 at the top.
      const isInAccepted = (path === 'scheme' || path === 'network') && isObject(envelope['accepted'])
      putAt(envelope, isInAccepted ? `accepted/${path}` : path, choose(pick, values))
    },
  }
}

function inSeconds(seconds: readonly number[], field: 'validAfter' | 'validBefore'): PaymentSpoil['draft'] {
  return ({ authorization }, { pick, nowSeconds }) => {
    authorization[field] = String(Math.max(0, Math.floor(nowSeconds) + choose(pick, seconds)))
  }
}

/** The id of another job: a different one for each number from 1. */
export function otherJobId(jobId: string, number: number): string {
  const first = (Number.parseInt(jobId.slice(0, 8), 16) ^ number) >>> 0
  return first.toString(16).padStart(8, '0') + jobId.slice(8)
}

/** A network of the table. */
export function networkOf(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`${id} is not in the table`)
  return network
}
