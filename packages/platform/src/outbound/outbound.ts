import { setMaxListeners } from 'node:events'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { callUntrustedHost, type Call, type CalledFor, type Means } from './call-untrusted-host.ts'
import { startDeadline } from './deadline.ts'
import { explainFailure } from './explain-failure.ts'
import { createIdleLines } from './idle-lines.ts'
import { privateHostsOf, type PrivateNetworks } from './address/private-networks.ts'
import { judgeBaseUrl, type UrlVerdict } from './address/judge-url.ts'
import { CALLS_PER_HOST } from './limits.ts'
import { connectOverTcp, type ConnectTo } from './open-connection.ts'
import { OutboundFailure, type FailureReason } from './address/outbound-failure.ts'
import type { AddressBlock } from './address/public-address.ts'
import { createResolve, type Resolve } from './address/resolve-name.ts'
import { createSlots } from './slots.ts'

/** The only way to call the URL of an untrusted host (D37): checks, refreshes, jobs and webhooks. */
export interface Outbound {
  /** Makes the call. Whatever the untrusted host does is returned as an outcome; it causes no rejection. */
  send(request: OutboundRequest): Promise<OutboundOutcome>
  /**
   * The canonical form of an agent's base URL, or the reason why it is refused. Makes no connection (REG-03).
   *
   * @param calledFor - the owner in whose name the agent is called, for whom a private network may be open (D54)
   */
  judge(url: string, calledFor?: string): UrlVerdict
  /** Closes kept connections and ends calls in progress as `unreachable`; later calls fail the same way. */
  close(): Promise<void>
}

/** An agent to call. */
export interface CalledAgent {
  /** Canonical base URL. */
  readonly endpoint: string
  /** The owner in whose name it is called (`calledFor`); undefined where none is proven. */
  readonly calledFor: string | undefined
}

/** One call to an untrusted host. */
export interface OutboundRequest {
  /** Absolute; a query is allowed, a fragment is not. */
  readonly url: string
  readonly method: 'GET' | 'POST'
  /**
   * Headers of the connection (host, content-length, accept-encoding, user-agent, …) are set by the guard; those given
   * here are dropped.
   */
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /**
   * The owner in whose name an agent is called (`calledFor`), for whom a private network may be open (D54). A function
   * is called only where such networks exist. Without an owner the call goes to public addresses alone.
   */
  readonly calledFor?: CalledFor
  /** Maximum bytes of the response body. */
  readonly maxBytes: number
  /**
   * Limits the whole call: waiting for a slot, DNS, connecting, TLS, headers and body. A call with a timeout longer
   * than a probe's counts as work.
   */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** How a call ended. */
export type OutboundOutcome =
  | {
      readonly kind: 'answered'
      /** May be the status of a redirect, because none is followed (SSRF-03). */
      readonly status: number
      /** Keyed by lower-case name; values of the same name are joined with a comma. */
      readonly headers: { readonly [name: string]: string | undefined }
      readonly body: string
      readonly elapsedMs: number
    }
  | {
      readonly kind: 'failed'
      readonly reason: FailureReason
      readonly elapsedMs: number
      /** For the platform's log only, never shown to users (SSRF-08). */
      readonly detail: string
      /**
       * Whether any byte of the request may have reached the untrusted host; the outcome of a paid call is then
       * unknown.
       */
      readonly mayHaveArrived: boolean
    }

/** The options of an outbound guard. */
export interface OutboundOptions {
  /** The local mode of D37: allows `http` to this machine and its loopback addresses, but no other private address. */
  readonly localMode: boolean
  readonly clock?: Clock
  /** Names whose owners want no calls from the platform; their subdomains are included (SSRF-07). */
  readonly shunnedHosts?: readonly string[]
  /** Public addresses that must not be called, such as those of the platform's own network (SSRF-01). */
  readonly shunnedAddresses?: readonly AddressBlock[]
  /** Private networks that the operator opened to the agents of some owners (D54); undefined: none. */
  readonly privateNetworks?: PrivateNetworks | undefined
  /** The `user-agent` header; an operator adds a contact for complaints. */
  readonly userAgent?: string
  /**
   * Concurrent calls to one host; an address may have more. Reads (GET), short POSTs and long work are counted
   * separately.
   */
  readonly perHost?: number
  /** The name resolver; tests provide their own. */
  readonly resolve?: Resolve
  /** A certificate authority in PEM, in addition to the public ones; for tests. */
  readonly ca?: string
  /** Opens the connections; tests without an internet provide their own. */
  readonly connectTo?: ConnectTo
}

/**
 * How many times the slots of one host one address has. Many hosts may share an address, for example on an app
 * platform, and a few hosts that never respond must not take all its slots. Anyone can trigger price requests and jobs:
 * blocking their slots would take sixteen hosts, and for work as many jobs as `startJobs` runs at once, which also
 * limits the sockets. Reads are started by the platform itself.
 */
const READS_FACTOR = 4
const POSTS_FACTOR = 16
const MAX_IDLE_KEYS = 256
const MAX_IDLE_PER_KEY = 4
const DEFAULT_USER_AGENT = 'farebox-platform/0.1'

/**
 * Creates the guard. It keeps connections open until `close` is called.
 *
 * @example
 * ```ts
 * import { createOutbound } from '@farebox/platform/outbound/outbound'
 *
 * const outbound = createOutbound({ localMode: false })
 * const outcome = await outbound.send({
 *   url: 'https://agent.example/health',
 *   method: 'GET',
 *   maxBytes: 65_536,
 *   timeoutMs: 10_000,
 * })
 * console.log(outcome.kind === 'answered' ? outcome.status : outcome.reason)
 * await outbound.close()
 * ```
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const means = collectMeans(options)
  const closing = new AbortController()
  // Every call in progress adds a listener to this signal.
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<OutboundOutcome>>()
  return {
    judge(url, calledFor) {
      const { localMode, shunnedHosts: shunned, privateNetworks } = options
      const privateHosts = privateNetworks && privateHostsOf(privateNetworks, calledFor)
      return judgeBaseUrl(url, { localMode, shunned, privateHosts })
    },
    send(request) {
      const outcome = makeCall(request, means, closing.signal).finally(() => running.delete(outcome))
      running.add(outcome)
      return outcome
    },
    async close() {
      closing.abort(new OutboundFailure('unreachable', 'the guard is closed'))
      await Promise.all(running)
      means.idle.closeAll()
    },
  }
}

function collectMeans(options: OutboundOptions): Means {
  const perHost = options.perHost ?? CALLS_PER_HOST
  return {
    ways: {
      localMode: options.localMode,
      shunnedAddresses: options.shunnedAddresses ?? [],
      clock: options.clock ?? systemClock,
      resolve: options.resolve ?? createResolve(),
      connectTo: options.connectTo ?? connectOverTcp,
      secureContext: trusting(options.ca),
      privateNetworks: options.privateNetworks,
      privateSecureContext: trusting(options.privateNetworks?.ca),
    },
    shunned: options.shunnedHosts ?? [],
    idle: createIdleLines(MAX_IDLE_KEYS, MAX_IDLE_PER_KEY),
    hostSlots: createSlots(perHost),
    addressSlots: {
      read: createSlots(perHost * READS_FACTOR),
      ask: createSlots(perHost * POSTS_FACTOR),
      work: createSlots(perHost * POSTS_FACTOR),
    },
    userAgent: options.userAgent ?? DEFAULT_USER_AGENT,
  }
}

/** Undefined where nothing but the public authorities is trusted. */
function trusting(ca: string | undefined): SecureContext | undefined {
  return ca === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, ca] })
}

async function makeCall(
  request: OutboundRequest,
  means: Means,
  closing: AbortSignal,
): Promise<OutboundOutcome> {
  const { clock } = means.ways
  const startedMs = clock.nowMs()
  const deadline = startDeadline(clock, request.timeoutMs, [closing, request.signal])
  const call: Call = { ...request, signal: deadline.signal, mayHaveArrived: false }
  try {
    const received = await callUntrustedHost(call, means)
    return { kind: 'answered', ...received, elapsedMs: clock.nowMs() - startedMs }
  } catch (error) {
    const elapsedMs = clock.nowMs() - startedMs
    return { kind: 'failed', ...explainFailure(error), elapsedMs, mayHaveArrived: call.mayHaveArrived }
  } finally {
    deadline.stop()
  }
}
