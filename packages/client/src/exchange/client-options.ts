import { systemClock, type Clock } from '@farebox/protocol/time/clock'

/** What this package needs of `fetch`: the global one fits, and so does a platform's guarded client. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** Node's own types leave out `cache`, which browsers mind. */
export type FetchInit = RequestInit & { readonly cache?: 'no-store' }

/**
 * How calls are made; every function of this package takes these.
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
  /** Default: the global `fetch`. Redirects are never followed: every call says so. */
  readonly fetch?: Fetch
  /** Default: the system's. */
  readonly clock?: Clock
  /** Ends the call early. Once a payment may have left, the rejection is `PaymentUnresolved`. */
  readonly signal?: AbortSignal
  /**
   * Takes `http:` for hosts other than this machine too. Over http, anybody on the way can use what is sent.
   */
  readonly allowHttp?: boolean
}

/** The options with their defaults in place. */
export interface Connection {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  readonly allowHttp: boolean
}

/** Fills in the defaults. */
export function connectionOf(options: ClientOptions): Connection {
  return {
    // Browsers refuse a fetch that was taken off its global.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? systemClock,
    signal: options.signal,
    allowHttp: options.allowHttp ?? false,
  }
}
