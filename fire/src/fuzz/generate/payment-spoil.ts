import type { ExpectedRefusal } from '../oracle/expected-answer.ts'
import type { Envelope, NamedJob, PaymentDraft, PaymentMaker } from './payment-draft.ts'

/** What a spoil of a payment may look at. */
export interface PaymentScene {
  /** Which of its values a spoil takes. */
  readonly pick: number
  readonly maker: PaymentMaker
  readonly nowSeconds: number
  readonly job: NamedJob
}

/** One thing wrong with a payment: done before it is signed, to the envelope, or to the header's text. */
export interface PaymentSpoil {
  readonly check: ExpectedRefusal['check']
  /** Before signing: the signature stays good. */
  readonly draft?: (draft: PaymentDraft, scene: PaymentScene) => void
  /** After signing. */
  readonly envelope?: (envelope: Envelope, scene: PaymentScene) => void
  /** JSON text to header text; default: base64. */
  readonly encode?: (json: string, scene: PaymentScene) => string
  /** The header's values as sent, each with the name it is sent under. */
  readonly headers?: (header: string) => readonly (readonly [string, string])[]
}

/** The part of an envelope that is signed; an empty one where there is none any more. */
export function payloadOf(envelope: Envelope): Envelope {
  const { payload } = envelope
  return isEnvelope(payload) ? payload : {}
}

/** An object of JSON. */
export function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
