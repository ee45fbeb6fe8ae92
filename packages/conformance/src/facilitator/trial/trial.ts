import { randomBytes } from 'node:crypto'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { draftPayment, type PaymentDraft } from './draft.ts'
import { ask, type SubjectRequest, type Subject, type FacilitatorReply } from './subject.ts'
import type { Token } from './token.ts'
import type { Witness } from './witness.ts'

/** The price that the cases pay, in atomic units. */
export const PRICE = 10_000n

/** The context of a case: a facilitator, a chain, and its own payers. */
export interface Trial {
  readonly subject: Subject
  readonly network: Network
  readonly crypto: EvmCrypto
  readonly rpc: JsonRpc
  readonly token: Token
  readonly witness: Witness
  /** Creates an account with an amount of the token, by default one price. */
  payer(amountAtomic?: bigint): Promise<TrialPayer>
  /** Drafts a valid payment of a new payer, or of the given one. */
  draft(options?: DraftOptions): Promise<PaymentDraft>
  verify(draft: Sendable, options?: SubjectRequest): Promise<FacilitatorReply>
  /** Repeats the request for a while when the response is "pending". */
  settle(draft: Sendable, options?: SubjectRequest): Promise<FacilitatorReply>
  nowSeconds(): Promise<number>
}

/** An account that pays. */
export interface TrialPayer {
  readonly key: string
  /** Lower-case. */
  readonly address: string
}

/** Options of a draft. */
export interface DraftOptions {
  readonly payer?: TrialPayer
  readonly payTo?: string
  readonly amountAtomic?: bigint
  readonly nowSeconds?: number
}

/** A draft, or any other body to send. */
export type Sendable = PaymentDraft | { readonly body: object }

/** The parts that a trial is created from. */
export type TrialParts = Pick<Trial, 'subject' | 'network' | 'crypto' | 'rpc' | 'token' | 'witness'>

const PENDING_TRIES = 20
const PENDING_MS = 250

/** Creates the trial of a facilitator. */
export function createTrial(parts: TrialParts): Trial {
  const { subject, network, crypto, token, witness } = parts
  const payer: Trial['payer'] = async (amountAtomic = PRICE) => {
    const key = `0x${randomBytes(32).toString('hex')}`
    const address = crypto.addressOf(fromHex(key))
    if (amountAtomic > 0n) await token.mint(address, amountAtomic)
    return { key, address }
  }
  return {
    ...parts,
    payer,
    async draft({ payTo = subject.payTo, amountAtomic = PRICE, ...options } = {}) {
      const { key } = options.payer ?? (await payer(amountAtomic))
      const nowSeconds = options.nowSeconds ?? (await witness.nowSeconds())
      return draftPayment({ crypto, network, payerKey: key, payTo, amountAtomic, nowSeconds })
    },
    verify: ({ body }, options) => ask(subject, '/verify', body, options),
    async settle({ body }, options) {
      for (let tried = 1; ; tried += 1) {
        const reply = await ask(subject, '/settle', body, options)
        if (reply.said !== 'later' || tried === PENDING_TRIES) return reply
        await sleep(systemClock, PENDING_MS, subject.signal)
      }
    },
    nowSeconds: () => witness.nowSeconds(),
  }
}
