import {
  type ReleaseRequest,
  HOLD_EXTENSION,
  SETTLEMENT_PENDING,
  type Charge,
  type FacilitatorRequest,
  type Hold,
  type SupportedResponse,
} from './facilitator-api.ts'
import { createJsonOrigin, type JsonAnswer, type JsonOriginOptions } from '../http/http-json.ts'
import { createRedactor, secretsInUrl, type Redactor } from '../redact.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { sendInSpan } from '@farebox/protocol/internal/trace/spans'
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'

/** A facilitator's verdict on a payment. */
export type VerifyOutcome =
  | { readonly kind: 'valid'; readonly hold: Hold | undefined }
  | {
      readonly kind: 'invalid'
      readonly reason: string
      readonly message: string
      /** The earlier charge of this payment, if the facilitator knows it (D40). */
      readonly charge?: Charge | undefined
    }
  /** The facilitator refused our FACILITATOR_SECRET. */
  | { readonly kind: 'unauthorized' }
  /** No verdict: the facilitator is unreachable, too slow or broken. */
  | {
      readonly kind: 'unavailable'
      readonly cause: string
      /** The facilitator is available, but the request rate was exceeded (429). */
      readonly isBusy?: true
    }

/** A facilitator's answer to a settlement. Three values, because "unknown" is not "failed" (D8). */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly transaction: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly message: string
      readonly transaction: string
    }
  | { readonly kind: 'unknown'; readonly cause: string }

/** How one request is sent. */
export interface FacilitatorCall {
  /** For the whole exchange. */
  readonly timeoutMs: number
  /** The trace that the request belongs to, sent as `traceparent` (W3C Trace Context). */
  readonly trace?: Trace | undefined
}

/** A facilitator over one keep-alive pool. Works with any facilitator that supports the x402 HTTP API (D9). */
export interface FacilitatorClient {
  /** Never rejects. Safe to repeat. */
  verify(request: FacilitatorRequest, options: FacilitatorCall): Promise<VerifyOutcome>
  /** Never rejects. Repeat with the identical request until it is not `unknown`. */
  settle(request: FacilitatorRequest, options: FacilitatorCall): Promise<SettleOutcome>
  /** Releases a hold; only for facilitators with the hold extension. Rejects when there is no response. */
  release(hold: ReleaseRequest, options: FacilitatorCall): Promise<void>
  /**
   * Does the facilitator accept the secret? Only for facilitators with the hold extension: it is checked by releasing a hold
   * that does not exist. Rejects when no response tells.
   */
  takesSecret(options: { readonly timeoutMs: number }): Promise<boolean>
  /** Rejects when the response is missing or invalid. */
  supported(options: { readonly timeoutMs: number }): Promise<SupportedResponse>
  close(): Promise<void>
}

/**
 * Opens the pool. `secret` is the FACILITATOR_SECRET, sent as a bearer token.
 *
 * @example
 * ```ts
 * import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
 * import { createFacilitatorClient } from '@farebox/payments/x402/facilitator-client'
 *
 * const facilitator = createFacilitatorClient({
 *   url: 'https://facilitator.example',
 *   secret: process.env['FACILITATOR_SECRET'] ?? '',
 * })
 *
 * export async function settle(request: FacilitatorRequest): Promise<string> {
 *   const outcome = await facilitator.settle(request, { timeoutMs: 30_000 })
 *   if (outcome.kind === 'settled') return outcome.transaction
 *   // Not known is not failed: keep the request, and send the same one again after a pause.
 *   throw new Error(outcome.kind === 'unknown' ? 'not known yet' : outcome.message)
 * }
 * ```
 */
export function createFacilitatorClient(options: {
  readonly url: string
  readonly secret: string
  /** Called with the time of each response. */
  readonly dates?: JsonOriginOptions['dates']
}): FacilitatorClient {
  const { dates } = options
  const origin = createJsonOrigin(options.url, dates === undefined ? {} : { dates })
  const authorized = { authorization: `Bearer ${options.secret}` }
  // A facilitator's texts go to callers and logs: if one echoes our header, its secrets must be redacted (OPS-08).
  const hide = createRedactor([options.secret, ...secretsInUrl(options.url)])
  const post = (path: string, body: object, { timeoutMs, trace }: FacilitatorCall): Promise<JsonAnswer> => {
    const send = (headers: { readonly [name: string]: string }): Promise<JsonAnswer> =>
      origin.send({ method: 'POST', path, body, headers, timeoutMs })
    if (trace === undefined) return send(authorized)
    const sent = { method: 'POST', url: options.url, route: path }
    return sendInSpan(trace, sent, traceparent => send({ ...authorized, traceparent }), statusOf)
  }
  return {
    async verify(request, call) {
      try {
        return readVerify(await post('/verify', request, call), hide)
      } catch (error) {
        return { kind: 'unavailable', cause: causeOf(error, hide) }
      }
    },
    async settle(request, call) {
      try {
        return readSettle(await post('/settle', request, call), hide)
      } catch (error) {
        return { kind: 'unknown', cause: causeOf(error, hide) }
      }
    },
    async release({ holdId, binding }, call) {
      const answer = await post('/release', { holdId, binding }, call)
      if (answer.status !== 200) throw new Error(`/release answered HTTP ${answer.status}`)
    },
    async takesSecret({ timeoutMs }) {
      const { status } = await post('/release', { holdId: '', binding: '' }, { timeoutMs })
      if (status !== 200 && status !== 401 && status !== 403)
        throw new Error(`/release answered HTTP ${status}`)
      return status === 200
    },
    async supported({ timeoutMs }) {
      return readSupported(
        await origin.send({ method: 'GET', path: '/supported', headers: authorized, timeoutMs }),
      )
    },
    close: () => origin.close(),
  }
}

function statusOf({ status }: JsonAnswer): number {
  return status
}

/** A refusal also counts with an error status: facilitators send refusals with 200, 400, 402 or 403 (D11). */
function readVerify({ status, body }: JsonAnswer, hide: Redactor): VerifyOutcome {
  if (isObject(body) && typeof body['isValid'] === 'boolean' && isVerdictStatus(status)) {
    if (body['isValid']) {
      return status === 200
        ? { kind: 'valid', hold: readHold(body['extensions']) }
        : { kind: 'unavailable', cause: `valid with HTTP ${status}` }
    }
    return {
      kind: 'invalid',
      reason: words(body['invalidReason'], 'invalid_payment', hide),
      message: words(body['invalidMessage'], '', hide),
      charge: readCharge(body['extensions']),
    }
  }
  if (status === 401 || status === 403) return { kind: 'unauthorized' }
  if (status === 429) return { kind: 'unavailable', cause: '/verify answered HTTP 429', isBusy: true }
  const why = isObject(body) ? words(body['error'], '', hide) : ''
  const cause = `/verify answered HTTP ${status} without a verdict`
  return { kind: 'unavailable', cause: why === '' ? cause : `${cause}: ${why}` }
}

/**
 * Only a definite verdict counts (D8); a success must have a success status and name its transaction, otherwise nothing is
 * proven.
 */
function readSettle({ status, body }: JsonAnswer, hide: Redactor): SettleOutcome {
  if (!isObject(body) || typeof body['success'] !== 'boolean' || !isVerdictStatus(status)) {
    return { kind: 'unknown', cause: `/settle answered HTTP ${status} without a definite verdict` }
  }
  const reason = words(body['errorReason'], 'settle_failed', hide)
  if (reason === SETTLEMENT_PENDING) return { kind: 'unknown', cause: SETTLEMENT_PENDING }
  const transaction = words(body['transaction'], '', hide).toLowerCase()
  if (!body['success'])
    return { kind: 'failed', reason, message: words(body['errorMessage'], '', hide), transaction }
  if (status !== 200) return { kind: 'unknown', cause: `/settle claims success with HTTP ${status}` }
  return HASH.test(transaction)
    ? { kind: 'settled', transaction }
    : { kind: 'unknown', cause: '/settle claims success without a transaction' }
}

/**
 * Can a response with this status be a verdict on the payment? Not one about our secret (401), about our request rate or
 * timing (408, 425, 429), from another location (3xx) or from a broken server (5xx): an earlier attempt may still be in
 * progress.
 */
function isVerdictStatus(status: number): boolean {
  return (
    status >= 200 && status < 500 && Math.floor(status / 100) !== 3 && ![401, 408, 425, 429].includes(status)
  )
}

function readHold(extensions: unknown): Hold | undefined {
  const hold = isObject(extensions) ? extensions[HOLD_EXTENSION] : undefined
  if (!isObject(hold)) return undefined
  const { holdId, holdUntil, budget } = hold
  if (typeof holdId !== 'string' || typeof holdUntil !== 'number') return undefined
  if (!isObject(budget)) return { holdId, holdUntil }
  const { used, limit, exhaustedAt } = budget
  if (typeof used !== 'number' || typeof limit !== 'number') return { holdId, holdUntil }
  const expected = typeof exhaustedAt === 'number' ? { exhaustedAt } : {}
  return { holdId, holdUntil, budget: { used, limit, ...expected } }
}

const HASH = /^0x[0-9a-f]{64}$/

/** Undefined when there is no charge, or one without a time: an unreadable charge proves nothing. */
function readCharge(extensions: unknown): Charge | undefined {
  const extension = isObject(extensions) ? extensions[HOLD_EXTENSION] : undefined
  const charge = isObject(extension) ? extension['charge'] : undefined
  if (!isObject(charge)) return undefined
  const { state, binding, transaction, chargedAt, now } = charge
  if (typeof binding !== 'string' || typeof now !== 'number') return undefined
  if (state === 'pending') return { state, binding, transaction: hashOf(transaction) ?? '', now }
  const hash = hashOf(transaction)
  if (state !== 'settled' || hash === undefined || typeof chargedAt !== 'number') return undefined
  return { state, binding, transaction: hash, chargedAt, now }
}

function hashOf(value: unknown): string | undefined {
  return typeof value === 'string' && HASH.test(value.toLowerCase()) ? value.toLowerCase() : undefined
}

function readSupported({ status, body }: JsonAnswer): SupportedResponse {
  if (status !== 200 || !isObject(body) || !Array.isArray(body['kinds'])) {
    throw new Error(`/supported answered HTTP ${status} without kinds`)
  }
  const kinds = body['kinds'].filter(isKind)
  const extensions = texts(body['extensions'])
  const signers = isObject(body['signers']) ? Object.entries(body['signers']) : []
  return {
    kinds,
    extensions,
    signers: Object.fromEntries(signers.map(([family, addresses]) => [family, texts(addresses)])),
  }
}

function isKind(value: unknown): value is SupportedResponse['kinds'][number] {
  return (
    isObject(value) &&
    typeof value['x402Version'] === 'number' &&
    typeof value['scheme'] === 'string' &&
    typeof value['network'] === 'string'
  )
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
}

/** A facilitator's texts go into responses and logs: only strings, shortened, with secrets redacted. */
function words(value: unknown, fallback: string, hide: Redactor): string {
  return typeof value === 'string' && value !== '' ? hide(value.slice(0, 10_000)).slice(0, 300) : fallback
}

function causeOf(error: unknown, hide: Redactor): string {
  if (!(error instanceof Error)) return 'no answer'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return error.message === '' ? code : hide(`${code}: ${error.message}`).slice(0, 300)
}
