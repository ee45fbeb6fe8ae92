import { readTraceparent, type Trace } from '@farebox/protocol/internal/trace/traceparent'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'

/** The part of `fetch` that this package uses: the global one fits, and so does a platform's guarded client. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** Node's own types omit `cache`, which browsers support. */
export type FetchInit = RequestInit & { readonly cache?: 'no-store' }

/**
 * How requests are made; every function of this package takes these options.
 *
 * @example
 * ```ts
 * import type { ClientOptions } from '@farebox/client/exchange/client-options'
 * import { quote } from '@farebox/client/quote'
 *
 * const options: ClientOptions = { signal: AbortSignal.timeout(5_000) }
 * console.log(await quote('https://agent.example', 'count', options))
 * ```
 */
export interface ClientOptions {
  /** Default: the global `fetch`. Redirects are never followed: every call disables them. */
  readonly fetch?: Fetch
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Ends the call early. Once a payment may have been sent, the rejection is `PaymentUnresolved`. */
  readonly signal?: AbortSignal
  /** Accepts `http:` for hosts other than this machine too. Over http, anyone on the network path can use what is sent. */
  readonly allowHttp?: boolean
  /**
   * `traceparent` (W3C Trace Context, version 00) of the caller: each request with a body is sent with its trace id and a
   * span id of its own. With any other value a new trace begins; absent: the header is not sent. In a browser the agent must
   * allow the header, as Farebox's do.
   */
  readonly traceparent?: string
}

/** The options with their defaults filled in. */
export interface Connection {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  readonly allowHttp: boolean
  readonly trace: Trace | undefined
}

/** Fills in the defaults. */
export function connectionOf(options: ClientOptions): Connection {
  return {
    // Browsers reject a `fetch` that is called without its global object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? systemClock,
    signal: options.signal,
    allowHttp: options.allowHttp ?? false,
    trace: options.traceparent === undefined ? undefined : readTraceparent(options.traceparent),
  }
}
