/** What a facilitator may offer beyond the x402 API. One without it is not measured by the cases that need it. */
export type Need =
  /** FACILITATOR_SECRETs, and the token that administers them. */
  | 'secrets'
  /** The hold extension: bindings and releases. */
  | 'holds'
  /** A service with an HTTP door of its own; a library behind a few lines of ours has none. */
  | 'door'
  /** A chain node that we stand in front of. */
  | 'node'

/** Requests of a trial so far. */
export interface Attempts {
  answered: number
  /** Nothing came in time, or the connection was cut. */
  unanswered: number
  /** How many of the latest were waited for in vain. */
  timedOutInARow: number
}

/** A facilitator under test. */
export interface Subject {
  readonly name: string
  readonly url: string
  /** Its FACILITATOR_SECRET; empty where it wants none. */
  readonly secret: string
  /** Wallets that the secret may take payments to: the one that is paid, and another of the same owner. */
  readonly payTo: string
  readonly secondPayTo: string
  /** Opens its administration of secrets. */
  readonly adminToken?: string
  /** The accounts that pay its gas; read from `/supported`. */
  readonly accounts: readonly string[]
  readonly offers: ReadonlySet<Need>
  /** Ends every request, once it aborts. */
  readonly signal?: AbortSignal
  /** Counted while it is asked. */
  readonly attempts: Attempts
  /** Its node, where we stand in front of it: called before a transaction passes, once. */
  beforeSend?(act: () => Promise<void>): void
}

/** What a facilitator answered, read as an agent would read it. */
export interface FacilitatorReply {
  readonly status: number
  readonly text: string
  readonly body: { readonly [key: string]: unknown } | undefined
  /** `yes`: valid, or settled. `no`: a verdict. `later`: pending. `nothing`: no verdict at all. */
  readonly said: 'yes' | 'no' | 'later' | 'nothing'
  /** `invalidReason` or `errorReason`. */
  readonly reason: string
  /** Lower-case; empty where none was named. */
  readonly transaction: string
}

/** How a request is sent. */
export interface SubjectRequest {
  /** The whole `Authorization` header; undefined: none. Default: the subject's secret. */
  readonly authorization?: string | undefined
  readonly headers?: { readonly [name: string]: string }
}

const ANSWER_MS = 30_000
/** So many requests are waited for so long; the next one, of somebody who does not answer at all, for less. */
const LONG_WAITS = 2
const SHORT_ANSWER_MS = 5_000

/**
 * Posts a body, an object or raw bytes, to `/verify` or `/settle`, and waits up to 30 s; 5 s where the two
 * requests before were waited for in vain. Never rejects: status 0 means
 * no answer.
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

/** When a request is given up: after so long, or as soon as the trial ends. */
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
