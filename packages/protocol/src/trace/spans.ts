import { writeTraceparent, type Trace } from './traceparent.ts'

/** Named after the semantic conventions of OpenTelemetry; values that are undefined are left out. */
export interface SpanAttributes {
  readonly [name: string]: string | number | boolean | undefined
}

/** A part of a trace, from its start to its end. */
export interface Span {
  /** For what belongs under this span: its logs, its requests, and the spans within it. */
  readonly trace: Trace
  /** @param errorType - a short name of the failure; undefined for a success */
  end(attributes?: SpanAttributes, errorType?: string): void
}

/** A request that is served, one that is sent, or work in this process. */
export type SpanKind = 'server' | 'client' | 'internal'

/** Records the spans of this process. */
export interface SpanRecorder {
  start(kind: SpanKind, name: string, trace: Trace, attributes: SpanAttributes): Span
}

/**
 * One for the process, as in the OpenTelemetry API itself: a span is started deep inside of modules that otherwise know
 * nothing of tracing.
 */
let recorder: SpanRecorder | undefined

/** Sets the recorder of this process. Without one, spans cost nothing. */
export function setSpanRecorder(chosen: SpanRecorder | undefined): void {
  recorder = chosen
}

/** Starts a span of a trace. */
export function startSpan(kind: SpanKind, name: string, trace: Trace, attributes: SpanAttributes = {}): Span {
  return recorder?.start(kind, name, trace, attributes) ?? { trace, end: () => undefined }
}

/** Browsers and Node have this global; this package uses the types of neither. */
declare const URL: new (text: string) => {
  readonly hostname: string
  readonly port: string
  readonly protocol: string
  readonly pathname: string
}

/** A request that another program is about to be sent. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** The path after the URL's own, where that is a base. */
  readonly route?: string
}

/**
 * Sends a request in a span of its own.
 *
 * @param send - is passed the `traceparent` to send
 * @param statusOf - the status of the answer; undefined when there is none
 */
export async function sendInSpan<T>(
  trace: Trace,
  { method, url, route = '' }: SentRequest,
  send: (traceparent: string) => Promise<T>,
  statusOf: (answer: T) => number | undefined,
): Promise<T> {
  if (recorder === undefined) return await send(writeTraceparent(trace))
  const { hostname, port, protocol, pathname } = new URL(url)
  const path = route === '' ? pathname : route
  const span = startSpan('client', `${method} ${path}`, trace, {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    'url.scheme': protocol.slice(0, -1),
    'url.template': path,
  })
  try {
    const answer = await send(writeTraceparent(span.trace))
    const status = statusOf(answer)
    span.end({ 'http.response.status_code': status }, failureOf(status))
    return answer
  } catch (error) {
    span.end({}, error instanceof Error ? error.name : 'Error')
    throw error
  }
}

/** 402 asks for a payment, and is how a sale begins. */
function failureOf(status: number | undefined): string | undefined {
  if (status === undefined) return 'no_answer'
  return status >= 400 && status !== 402 ? String(status) : undefined
}

/** How a served request was answered, for {@link Span.end}: the server's own failures alone are failures. */
export function answeredWith(status: number): [SpanAttributes, string | undefined] {
  return [{ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined]
}
