import { setMaxListeners } from 'node:events'
import { createSecureContext, rootCertificates } from 'node:tls'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { callUntrustedHost, type Call, type Means } from './call-untrusted-host.ts'
import { startDeadline } from './deadline.ts'
import { explainFailure } from './explain-failure.ts'
import { createIdleLines } from './idle-lines.ts'
import { judgeBaseUrl, type UrlVerdict } from './address/judge-url.ts'
import { CALLS_PER_HOST } from './limits.ts'
import { connectOverTcp, type ConnectTo } from './open-connection.ts'
import { OutboundFailure, type FailureReason } from './address/outbound-failure.ts'
import type { AddressBlock } from './address/public-address.ts'
import { createResolve, type Resolve } from './address/resolve-name.ts'
import { createSlots } from './slots.ts'

/** The one way to call an untrusted host's URL (D37): checks, refresh, execute, webhooks. */
export interface Outbound {
  /** Makes the call. What an untrusted host does is an outcome; nothing is thrown for it. */
  send(request: OutboundRequest): Promise<OutboundOutcome>
  /** The canonical form of an agent's base URL, or why it is refused. Makes no connection (REG-03). */
  judge(url: string): UrlVerdict
  /** Closes kept connections and ends calls under way (`unreachable`); later calls end likewise. */
  close(): Promise<void>
}

/** One call. */
export interface OutboundRequest {
  /** Absolute; a query is allowed, a fragment is not. */
  readonly url: string
  readonly method: 'GET' | 'POST'
  /** What belongs to the connection (host, content-length, accept-encoding, user-agent, …) is ours and left out. */
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** Of the answer's body. */
  readonly maxBytes: number
  /** In total: waiting for a turn, DNS, connect, TLS, headers, body. What may take longer than a probe is work. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** How a call ended. */
export type OutboundOutcome =
  | {
      readonly kind: 'answered'
      /** A redirect's too: none is followed (SSRF-03). */
      readonly status: number
      /** By lower-case name, lines of one name joined with a comma. */
      readonly headers: { readonly [name: string]: string | undefined }
      readonly body: string
      readonly elapsedMs: number
    }
  | {
      readonly kind: 'failed'
      readonly reason: FailureReason
      readonly elapsedMs: number
      /** For our own log only, never shown to users (SSRF-08). */
      readonly detail: string
      /** Whether any byte of the request may have reached the untrusted host: a paid call is then in doubt. */
      readonly mayHaveArrived: boolean
    }

/** What an outbound guard is made with. */
export interface OutboundOptions {
  /** The local mode of D37: `http` to this machine, and its loopback addresses. Nothing else private. */
  readonly localMode: boolean
  readonly clock?: Clock
  /** Names whose owners want no calls from us; what is below them neither (SSRF-07). */
  readonly shunnedHosts?: readonly string[]
  /** Public addresses that are not to be called all the same, such as this network's own (SSRF-01). */
  readonly shunnedAddresses?: readonly AddressBlock[]
  /** Who we say we are; an operator adds where to complain. */
  readonly userAgent?: string
  /** Calls at a time to one host, more to one address. Reads (GET), short POSTs and long work count apart. */
  readonly perHost?: number
  /** DNS; a test brings its own. */
  readonly resolve?: Resolve
  /** A certificate authority besides the public ones, PEM; for tests. */
  readonly ca?: string
  /** The network; a test without an internet brings its own. */
  readonly connectTo?: ConnectTo
}

/**
 * Many hosts may share an address, such as that of a platform for apps, and few of them that never answer must not
 * take all its turns. Whoever likes can have prices asked and jobs sent, so for these it would take sixteen hosts, and
 * for work all that `startJobs` sends at a time: that is what bounds the sockets. Reads are made when we choose.
 */
const READS_FACTOR = 4
const POSTS_FACTOR = 16
const MAX_IDLE_ORIGINS = 256
const MAX_IDLE_PER_ORIGIN = 4
const DEFAULT_USER_AGENT = 'farebox-platform/0.1'

/**
 * Makes the guard. It holds connections; `close` lets them go.
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
  // Every call under way listens to it.
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<OutboundOutcome>>()
  return {
    judge: url => judgeBaseUrl(url, options.localMode, options.shunnedHosts),
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
      secureContext:
        options.ca === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, options.ca] }),
    },
    shunned: options.shunnedHosts ?? [],
    idle: createIdleLines(MAX_IDLE_ORIGINS, MAX_IDLE_PER_ORIGIN),
    hostSlots: createSlots(perHost),
    addressSlots: {
      read: createSlots(perHost * READS_FACTOR),
      ask: createSlots(perHost * POSTS_FACTOR),
      work: createSlots(perHost * POSTS_FACTOR),
    },
    userAgent: options.userAgent ?? DEFAULT_USER_AGENT,
  }
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
    const heard = await callUntrustedHost(call, means)
    return { kind: 'answered', ...heard, elapsedMs: clock.nowMs() - startedMs }
  } catch (error) {
    const elapsedMs = clock.nowMs() - startedMs
    return { kind: 'failed', ...explainFailure(error), elapsedMs, mayHaveArrived: call.mayHaveArrived }
  } finally {
    deadline.stop()
  }
}
