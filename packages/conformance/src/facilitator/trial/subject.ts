/** What a facilitator may offer beyond the x402 API. Cases that need it are skipped for a facilitator without it. */
export type Need =
  /** FACILITATOR_SECRETs and the token to administer them. */
  | 'secrets'
  /** The hold extension: bindings and releases. */
  | 'holds'
  /** A service with its own HTTP interface; a library wrapped in a few lines of our code has none. */
  | 'door'
  /** A chain node behind a proxy of the kit. */
  | 'node'

/** Counts the requests of a trial so far. */
export interface Attempts {
  answered: number
  /** No response came in time, or the connection was closed. */
  unanswered: number
  /** How many of the latest requests in a row timed out. */
  timedOutInARow: number
}

/** A facilitator under test. */
export interface Subject {
  readonly name: string
  readonly url: string
  /** Its FACILITATOR_SECRET; empty when it requires none. */
  readonly secret: string
  /** Wallets to which the secret may accept payments: the one that is paid, and another one of the same owner. */
  readonly payTo: string
  readonly secondPayTo: string
  /** The token for its administration of secrets. */
  readonly adminToken?: string
  /** The accounts that pay its gas, read from `/supported`. */
  readonly accounts: readonly string[]
  readonly offers: ReadonlySet<Need>
  /** Cancels every request when it aborts. */
  readonly signal?: AbortSignal
  /** Updated with each request. */
  readonly attempts: Attempts
  /** For a node behind a proxy of the kit: runs `act` once, before the next transaction is forwarded. */
  beforeSend?(act: () => Promise<void>): void
}

/** The response of a facilitator, interpreted as an agent would. */
export interface FacilitatorReply {
  readonly status: number
  readonly text: string
  readonly body: { readonly [key: string]: unknown } | undefined
  /** `yes`: valid, or settled. `no`: a verdict. `later`: pending. `nothing`: no verdict. */
  readonly said: 'yes' | 'no' | 'later' | 'nothing'
  /** `invalidReason` or `errorReason`. */
  readonly reason: string
  /** Lower-case; empty when the response names none. */
  readonly transaction: string
}

/** Options for sending a request. */
export interface SubjectRequest {
  /** The whole `Authorization` header; `undefined` sends none. Default: the subject's secret. */
  readonly authorization?: string | undefined
  readonly headers?: { readonly [name: string]: string }
}

const ANSWER_MS = 30_000
/** After this many timeouts in a row, the next request has a shorter timeout, because the facilitator does not respond. */
const LONG_WAITS = 2
const SHORT_ANSWER_MS = 5_000

/**
 * Posts a body, an object or raw bytes, to `/verify` or `/settle`, and waits up to 30 s; 5 s when the previous two requests
 * timed out. Never rejects: status 0 means no response.
 */
export async function ask(
  subject: Subject,
  path: '/verify' | '/settle' | '/release',
  body: object | string | Uint8Array<ArrayBuffer>,
  options: SubjectRequest = {},
): Promise<FacilitatorReply> {
  const authorization =
    'authorization' in options
      ? options.authorization
      : subject.secret === ''
        ? undefined
        : `Bearer ${subject.secret}`
  const { attempts } = subject
  const timeoutMs = attempts.timedOutInARow < LONG_WAITS ? ANSWER_MS : SHORT_ANSWER_MS
  try {
    const answer = await fetch(subject.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...options.headers,
      },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      signal: trialSignal(subject, timeoutMs),
    })
    const reply = read(answer.status, await answer.text())
    attempts.answered += 1
    attempts.timedOutInARow = 0
    return reply
  } catch (error) {
    attempts.unanswered += 1
    if (error instanceof Error && error.name === 'TimeoutError') attempts.timedOutInARow += 1
    return read(0, error instanceof Error ? error.message : 'no answer')
  }
}

/** The signal that cancels a request: after the timeout, or when the trial ends. */
export function trialSignal({ signal }: Pick<Subject, 'signal'>, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal])
}

function read(status: number, text: string): FacilitatorReply {
  const body = parse(text)
  const reason = String(body?.['invalidReason'] ?? body?.['errorReason'] ?? '')
  const { transaction } = body ?? {}
  const verdict = body?.['isValid'] ?? body?.['success'] ?? body?.['released']
  const said =
    reason === 'settlement_pending'
      ? 'later'
      : verdict === true && status === 200
        ? 'yes'
        : verdict === false
          ? 'no'
          : 'nothing'
  return {
    status,
    text,
    body,
    said,
    reason,
    transaction: typeof transaction === 'string' ? transaction.toLowerCase() : '',
  }
}

function parse(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : undefined
  } catch {
    return undefined
  }
}
