import { errors } from 'undici'
import { createHttpLine, type HttpLine } from './http-line.ts'
import type { IdleLines } from './idle-lines.ts'
import { judgeTarget, type Target } from './address/judge-url.ts'
import { PROBE_LIMITS } from './limits.ts'
import { connectToFirst, resolveAllowed, type ConnectionWays } from './open-connection.ts'
import { OutboundFailure } from './address/outbound-failure.ts'
import { addressOwner } from './address/public-address.ts'
import { requestHeaders } from './request-headers.ts'
import type { Slots } from './slots.ts'
import { speakHttp, type HttpReply } from './speak-http.ts'

/** What waits together: reads (GET), what is asked in passing (quotes, probes, webhooks), and paid work. */
export type Lane = 'read' | 'ask' | 'work'

/** What every call is made with. */
export interface Means {
  readonly ways: ConnectionWays
  /** Names whose owners want no calls from us. */
  readonly shunned: readonly string[]
  readonly idle: IdleLines
  readonly hostSlots: Slots
  readonly addressSlots: { readonly [lane in Lane]: Slots }
  readonly userAgent: string
}

/** One call under way. */
export interface Call {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Aborts at the call's deadline, with an `OutboundFailure`. */
  readonly signal: AbortSignal
  /** Set before the first byte of the request may leave. */
  mayHaveArrived: boolean
}

/** Judges the URL, waits for a turn, connects, asks and reads the answer. Rejects with what went wrong. */
export async function callUntrustedHost(call: Call, means: Means): Promise<HttpReply> {
  const verdict = judgeTarget(call.url, means.ways.localMode, means.shunned)
  if (!verdict.ok) throw new OutboundFailure('refused-address', verdict.reason)
  const { target } = verdict
  const leaveHost = await means.hostSlots.take(laneKey(call, target.host), call.signal)
  try {
    return (await overKeptLine(target, call, means)) ?? (await overNewLine(target, call, means))
  } finally {
    leaveHost()
  }
}

/** The answer over a connection kept from before; nothing where there is none, or it was closed under us. */
async function overKeptLine(target: Target, call: Call, means: Means): Promise<HttpReply | undefined> {
  const line = means.idle.take(target.origin)
  if (line === undefined) return undefined
  const leaveAddress = await takeAddress(line.address, call, means).catch((error: unknown) => {
    line.close()
    throw error
  })
  const receivedBefore = line.bytesReceived()
  try {
    return await overLine(line, target, call, means)
  } catch (error) {
    call.signal.throwIfAborted()
    // RFC 9112 §9.3.1: a read may be repeated when nothing was heard of it, work only when it was never sent.
    const unheard = call.method === 'GET' && line.bytesReceived() === receivedBefore
    if (line.wasLostUnused() || (unheard && error instanceof errors.SocketError)) return undefined
    throw error
  } finally {
    leaveAddress()
  }
}

async function overNewLine(target: Target, call: Call, means: Means): Promise<HttpReply> {
  const addresses = await resolveAllowed(target, means.ways, call.signal)
  const connection = await connectToFirst(target, addresses, means.ways, {
    signal: call.signal,
    occupy: address => takeAddress(address, call, means),
  })
  try {
    return await overLine(createHttpLine(target.origin, connection), target, call, means)
  } finally {
    connection.leave()
  }
}

async function overLine(line: HttpLine, target: Target, call: Call, means: Means): Promise<HttpReply> {
  const spoken = {
    path: target.path,
    method: call.method,
    headers: requestHeaders(call.headers ?? {}, means.userAgent),
    body: call.body,
    maxBytes: call.maxBytes,
  }
  try {
    call.mayHaveArrived = true
    const heard = await speakHttp(line, spoken, means.ways.clock, call.signal)
    means.idle.keep(line)
    return heard
  } catch (error) {
    // undici judges a request before it writes it.
    const unsent = error instanceof errors.InvalidArgumentError || line.wasLostUnused()
    if (unsent) call.mayHaveArrived = false
    line.close()
    throw error
  }
}

function takeAddress(address: string, call: Call, means: Means): Promise<() => void> {
  return means.addressSlots[laneOf(call)].take(addressOwner(address), call.signal)
}

/** An agent that is busy with long jobs still has its health looked at, and its price asked. */
function laneKey(call: Call, host: string): string {
  return `${laneOf(call)} ${host}`
}

/** By how long a call may keep the others waiting, which no caller can forget to say. */
function laneOf({ method, timeoutMs }: Pick<Call, 'method' | 'timeoutMs'>): Lane {
  if (timeoutMs > PROBE_LIMITS.timeoutMs) return 'work'
  return method === 'GET' ? 'read' : 'ask'
}
