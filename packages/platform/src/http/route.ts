import type { ZodObject, ZodType } from 'zod'

/** Who asks. */
export type Caller =
  | { readonly kind: 'anonymous'; readonly ip: string }
  /** Signed in with Ethereum; lower-case address. */
  | { readonly kind: 'owner'; readonly ip: string; readonly address: string; readonly sessionId: string }
  /** Holds the operator's token. */
  | { readonly kind: 'operator'; readonly ip: string }

/** Who may ask, and so what `Caller` a route's handler sees. */
export type Access = 'public' | 'owner' | 'operator'

/** The caller a route of this access is handed: checked at the door. */
export type CallerOf<A extends Access> = A extends 'public' ? Caller : Extract<Caller, { readonly kind: A }>

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  /** What a caller that connects again sends as `last-event-id`; without line breaks. */
  readonly id?: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** Makes the events of one stream, until they end or the signal says that nobody wants more. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerEvent>

/** What a route answers. */
export interface RouteAnswer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string | string[] }
  /** Sent as JSON; a string only together with a `content-type` of its own. */
  readonly body?: unknown
  /**
   * Answers with server-sent events in place of a body: 200, `text/event-stream`. What must be refused is refused before,
   * by the handler; an error of the source ends the stream. The door bounds how many streams there are and how long they
   * last, and keeps them alive (`event-streams.ts`).
   */
  readonly events?: EventSource
  /** Makes the answer itself where that takes its time: the body is no longer kept then, unless this refers to it. */
  readonly later?: () => Promise<RouteAnswer>
}

/** One documented answer; its schemas are checked in tests and shown in the OpenAPI document. */
export interface DocumentedAnswer {
  readonly description: string
  readonly schema?: ZodType
  /** Of a stream of server-sent events: what each event has as its data, by the event's name. */
  readonly events?: { readonly [event: string]: ZodType }
}

/**
 * One route of the HTTP API: the schemas that check a request are those that the OpenAPI document shows. Paths are
 * written `/v1/agents/:agentId`.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** A line, for the document. */
  readonly summary: string
  readonly access: Access
  readonly params?: ZodType
  readonly query?: ZodType
  /** The headers that the route reads, by their lower-case names; all others are none of its business. */
  readonly headers?: ZodObject
  readonly body?: ZodType
  readonly answers: { readonly [status: number]: DocumentedAnswer }
  /** How often one caller may ask, in a minute; default 120. */
  readonly perMinute?: number
  /** Of the body; default 64 KiB. */
  readonly maxBodyBytes?: number
  /**
   * What of a path's parameters belongs to somebody. Where it is given, a test asks as somebody else and wants a 404.
   * Required wherever `access` is `owner` and the path has parameters.
   */
  readonly belongsTo?: 'agent-owner' | 'payer' | 'account'
  /** Never called with anything its schemas refuse. */
  handle(request: {
    readonly params: unknown
    readonly query: unknown
    readonly headers: unknown
    readonly body: unknown
    readonly caller: Caller
    readonly signal: AbortSignal
  }): Promise<RouteAnswer>
}

type Read<S> = S extends ZodType<infer T> ? T : undefined

/** Makes a route whose handler sees what its schemas make. */
export function defineRoute<
  A extends Access,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
  H extends ZodObject | undefined = undefined,
>(
  route: Omit<Route, 'handle' | 'params' | 'query' | 'headers' | 'body' | 'access'> & {
    readonly access: A
    readonly params?: P
    readonly query?: Q
    readonly headers?: H
    readonly body?: B
    handle(request: {
      readonly params: Read<P>
      readonly query: Read<Q>
      readonly headers: Read<H>
      readonly body: Read<B>
      readonly caller: CallerOf<A>
      readonly signal: AbortSignal
    }): Promise<RouteAnswer>
  },
): Route {
  // The door has checked all of them against these very schemas, and the caller against the access.
  return route as unknown as Route
}
