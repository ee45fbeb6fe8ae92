import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { ZodObject, ZodType } from 'zod'

/** The identity of a caller. */
export type Caller =
  | { readonly kind: 'anonymous'; readonly ip: string }
  /** Signed in with Ethereum; lower-case address. */
  | { readonly kind: 'owner'; readonly ip: string; readonly address: string; readonly sessionId: string }
  /** Holds the operator's token. */
  | { readonly kind: 'operator'; readonly ip: string }

/** The access level a route requires. It determines the type of `Caller` that its handler receives. */
export type Access = 'public' | 'owner' | 'operator'

/** The caller passed to a route with this access level; verified before the handler runs. */
export type CallerOf<A extends Access> = A extends 'public' ? Caller : Extract<Caller, { readonly kind: A }>

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  /** The id that a reconnecting caller sends as `last-event-id`; without line breaks. */
  readonly id?: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** Produces the events of one stream, until they end or the signal aborts. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerEvent>

/** The answer of a route. */
export interface RouteAnswer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string | string[] }
  /** Sent as JSON; a string only together with an explicit `content-type`. */
  readonly body?: unknown
  /**
   * Answers with server-sent events instead of a body: status 200, `text/event-stream`. The handler must refuse before it
   * returns this; an error of the source ends the stream. The number and duration of streams are limited, and heartbeats
   * are sent (`event-streams.ts`).
   */
  readonly events?: EventSource
  /**
   * Produces the answer later, when that takes long. The request's body is released before, unless this function refers to
   * it.
   */
  readonly later?: () => Promise<RouteAnswer>
}

/** One documented answer. Tests check its schemas, and the OpenAPI document shows them. */
export interface DocumentedAnswer {
  readonly description: string
  readonly schema?: ZodType
  /** For a stream of server-sent events: the schema of the data by event name. */
  readonly events?: { readonly [event: string]: ZodType }
}

/**
 * One route of the HTTP API. The schemas that check a request are also shown in the OpenAPI document. Paths are written as
 * `/v1/agents/:agentId`.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** One line for the OpenAPI document. */
  readonly summary: string
  readonly access: Access
  readonly params?: ZodType
  readonly query?: ZodType
  /** The headers that the route reads, by lower-case name; all others are ignored. */
  readonly headers?: ZodObject
  readonly body?: ZodType
  readonly answers: { readonly [status: number]: DocumentedAnswer }
  /** The limit of requests per minute for one caller. Default 120. */
  readonly perMinute?: number
  /** The limit of the body. Default 64 KiB. */
  readonly maxBodyBytes?: number
  /**
   * Requests wait while the database is away, instead of failing at once. `repeated`: the handler is called again where the
   * database did nothing, and must be safe to repeat as a whole. `once`: it is called when the database has answered.
   */
  readonly waitsForDatabase?: 'repeated' | 'once'
  /**
   * The owner of the resource that the path's parameters name. When set, a test requests it as another owner and expects
   * 404. Required when `access` is `owner` and the path has parameters.
   */
  readonly belongsTo?: 'agent-owner' | 'payer' | 'account'
  /** Called only with values that passed the schemas. */
  handle(request: {
    readonly params: unknown
    readonly query: unknown
    readonly headers: unknown
    readonly body: unknown
    readonly caller: Caller
    readonly trace: Trace
    readonly signal: AbortSignal
  }): Promise<RouteAnswer>
}

type Read<S> = S extends ZodType<infer T> ? T : undefined

/** Defines a route whose handler receives the output types of its schemas. */
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
      /** The trace that the request belongs to. */
      readonly trace: Trace
      readonly signal: AbortSignal
    }): Promise<RouteAnswer>
  },
): Route {
  // Safe: the parts of the request were checked with these schemas, and the caller against the access level, before the
  // handler is called.
  return route as unknown as Route
}
