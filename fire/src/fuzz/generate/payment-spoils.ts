import { findNetwork, type Network } from '@farebox/payments/networks'
import type { Check } from '../oracle/expected-answer.ts'
import { EXECUTE_URL } from '../run/fuzz-stage.ts'
import { isObject, putAt, type OpenObject } from './put-at.ts'

/** A payment under construction: valid until a fault changes it. */
export interface PaymentDraft {
  version: 1 | 2
  readonly authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  salt: string | undefined
  /** The index of the signing wallet, from 0; `authorization.from` is the claimed payer. */
  signer: number
  /** The network whose domain is signed. */
  network: Network
}

/** The capability and price of a payment. */
export interface PaymentTerms {
  /** Decimal atomic units. */
  readonly amount: string
  readonly nowSeconds: number
  readonly job: NamedJob
}

/** The job to which a payment is bound. */
export interface NamedJob {
  readonly endpoint: string
  readonly capability: string
  readonly jobId: string
}

/** The inputs of a payment fault. */
interface PaymentScene extends PaymentTerms {
  /** Binds the nonce of the draft to a job. */
  readonly bind: (draft: PaymentDraft, named: NamedJob) => void
}

/** One fault of a payment: applied before it is signed, to the envelope, or to the header's text. */
export interface PaymentSpoil {
  /** The functions of a fault, which are left out when a recipe is printed. */
  readonly name: string
  readonly check: Check
  /** Before signing: the signature stays valid. */
  readonly draft?: ((draft: PaymentDraft, scene: PaymentScene) => void) | undefined
  /** After signing. */
  readonly envelope?: (envelope: OpenObject) => void
  /** JSON text to header text; default: base64. */
  readonly encode?: (json: string) => string
  /** The header names under which it is sent. */
  readonly names?: readonly string[]
}

/** A network of the table other than the agent's. */
const OTHER_NETWORK = networkOf('eip155:8453')

const ADDRESS = `0x${'11'.repeat(20)}`
const NO_ADDRESS = [null, '', '0x', 7, '0x12', `0x${'g'.repeat(40)}`]
const NO_AMOUNT = [null, '', '01', '1.5', '0x1', '-1', ' 1', '1e4', 1_000]

/** Values that are invalid anywhere, each at its path in the JSON of a payment header. */
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
  'payload/signature': [null, 7, 'x', '0x', ...[128, 130, 132].map(digits => `0x${'0'.repeat(digits)}`)],
  'payload/authorization': [undefined, null, 'x', []],
  'payload/authorization/from': NO_ADDRESS,
  'payload/authorization/to': NO_ADDRESS,
  'payload/authorization/value': [...NO_AMOUNT, '1'.repeat(79), String(2n ** 256n)],
  'payload/authorization/validAfter': ['', '-1', '1.5', 'now', null, 0, String(2n ** 47n)],
  'payload/authorization/validBefore': ['', '1e12', null, 4e9, String(2n ** 47n), String(2n ** 255n)],
  'payload/authorization/nonce': [
    '',
    '0x',
    null,
    `0x${'0'.repeat(63)}`,
    `0x${'0'.repeat(66)}`,
    `0x${'12'.repeat(32)}`,
  ],
}

/** Seconds from now that are invalid for the start and the end of an authorization. */
const WRONG_TIMES = [
  ...[1, 60, 1e9].map(seconds => ['validAfter', seconds] as const),
  ...[-1e9, -1, 0, 1, 5, 9, 86_402, 1e9].map(seconds => ['validBefore', seconds] as const),
]

/** Every known fault of a payment. */
export const PAYMENT_SPOILS: readonly PaymentSpoil[] = [
  ...['', 'x', '====', '%', 'a b', btoa('null'), btoa('[]'), btoa('{"a":"\xff"}')].map(header =>
    payer(`header "${header}"`, { encode: () => header }),
  ),
  ...[1, 50, 200].map(length =>
    payer(`header cut after ${length}`, { encode: json => btoa(json.slice(0, length)) }),
  ),
  payer('header huge', { encode: json => btoa(json + ' '.repeat(12_000)) }),
  payer('header twice', { names: ['payment-signature', 'payment-signature'] }),
  payer('header under both names', { names: ['x-payment', 'payment-signature'] }),
  ...Object.entries(WRONG_FIELDS).flatMap(([path, values]) => values.map(value => wrongField(path, value))),
  payer("signature another's", { draft: draft => void (draft.signer = (draft.signer + 1) % 3) }),
  payer('signature for another chain', { draft: draft => void (draft.network = OTHER_NETWORK) }),
  { ...wrongField('accepted/amount', '1'), check: 'terms' },
  { ...wrongField('accepted/payTo', ADDRESS), check: 'terms' },
  // The following faults are signed by the payer.
  terms('pays another wallet', ({ authorization }) => void (authorization.to = ADDRESS)),
  ...[-1n, 1n, 10_000_000n, -10_000n, 2n ** 200n].map(more =>
    terms(`pays ${more} more`, ({ authorization }) => {
      const value = BigInt(authorization.value) + more
      authorization.value = String(value < 0n ? 0n : value)
    }),
  ),
  ...WRONG_TIMES.map(([field, seconds]) =>
    terms(`${field} in ${seconds} s`, ({ authorization }, { nowSeconds }) => {
      authorization[field] = String(Math.max(0, Math.floor(nowSeconds) + seconds))
    }),
  ),
  terms('bound to another job', (draft, { bind, job }) =>
    bind(draft, { ...job, jobId: otherJobId(job.jobId, 1) }),
  ),
  terms('bound to another capability', (draft, { bind, job }) =>
    bind(draft, { ...job, capability: `${job.capability}x` }),
  ),
  terms('bound to another agent', (draft, { bind, job }) =>
    bind(draft, { ...job, endpoint: `${EXECUTE_URL}/` }),
  ),
  terms('bound without salt', (draft, { bind, job }) => {
    bind(draft, job)
    draft.salt = undefined
  }),
]

function payer(name: string, spoil: Omit<PaymentSpoil, 'name' | 'check'>): PaymentSpoil {
  return { name, check: 'payer', ...spoil }
}

function terms(name: string, draft: PaymentSpoil['draft']): PaymentSpoil {
  return { name, check: 'terms', draft }
}

/** A field of the wrong form. */
function wrongField(path: string, value: unknown): PaymentSpoil {
  return payer(`${path} ${JSON.stringify(value)}`, {
    draft(draft) {
      if (path.startsWith('accepted')) draft.version = 2
    },
    envelope(envelope) {
      // v2 names scheme and network in `accepted`, v1 at the top.
      const isInAccepted = (path === 'scheme' || path === 'network') && isObject(envelope['accepted'])
      putAt(envelope, isInAccepted ? `accepted/${path}` : path, value)
    },
  })
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
