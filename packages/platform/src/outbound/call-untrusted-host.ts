import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import { errors } from 'undici'
import { createHttpLine, lineKey, type HttpLine } from './http-line.ts'
import type { IdleLines } from './idle-lines.ts'
import { judgeTarget, type Target } from './address/judge-url.ts'
import { privateHostsOf } from './address/private-networks.ts'
import { PROBE_LIMITS } from './limits.ts'
import { connectToFirst, resolveAllowed, type ConnectionWays } from './open-connection.ts'
import { OutboundFailure } from './address/outbound-failure.ts'
import { addressOwner } from './address/public-address.ts'
import { requestHeaders } from './request-headers.ts'
import type { Slots } from './slots.ts'
import { speakHttp, type HttpReply } from './speak-http.ts'

/** Calls of one lane share a queue: reads (GET), short POSTs (quotes, probes, webhooks), and paid work. */
export type Lane = 'read' | 'ask' | 'work'

/** Resources that all calls share. */
export interface Means {
  readonly ways: ConnectionWays
  /** Names whose owners want no calls from the platform. */
  readonly shunned: readonly string[]
  readonly idle: IdleLines
  readonly hostSlots: Slots
  readonly addressSlots: { readonly [lane in Lane]: Slots }
  readonly userAgent: string
}

/** The owner in whose name an agent is called: lower-case address, or a function that finds it. */
export type CalledFor = string | undefined | (() => Promise<string | undefined>)

/** One call in progress. */
export interface Call {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  readonly calledFor?: CalledFor
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Aborts at the call's deadline, with an `OutboundFailure`. */
  readonly signal: AbortSignal
  /** Set before the first byte of the request may be sent. */
  mayHaveArrived: boolean
}

/**
 * Judges the URL, waits for a slot, connects, sends the request and reads the response. Rejects with the cause of a
 * failure.
 */
export async function callUntrustedHost(call: Call, means: Means): Promise<HttpReply> {
  const { localMode, privateNetworks } = means.ways
  const privateHosts =
    privateNetworks && privateHostsOf(privateNetworks, await unlessAborted(findCalledFor(call), call.signal))
  const verdict = judgeTarget(call.url, { localMode, shunned: means.shunned, privateHosts })
  if (!verdict.ok) throw new OutboundFailure('refused-address', verdict.reason)
  const { target } = verdict
  const leaveHost = await means.hostSlots.take(laneKey(call, target), call.signal)
  try {
    return (await overKeptLine(target, call, means)) ?? (await overNewLine(target, call, means))
  } finally {
    leaveHost()
  }
}

async function findCalledFor({ calledFor }: Pick<Call, 'calledFor'>): Promise<string | undefined> {
  return typeof calledFor === 'function' ? await calledFor() : calledFor
}

/** Sends the call over a kept connection. Resolves to undefined when there is none, or when the host had closed it. */
async function overKeptLine(target: Target, call: Call, means: Means): Promise<HttpReply | undefined> {
  const line = means.idle.take(lineKey(target))
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
    // RFC 9112 §9.3.1: a read may be repeated when no byte of a response has arrived, work only when the request was
    // never sent.
    const wasUnanswered = call.method === 'GET' && line.bytesReceived() === receivedBefore
    if (line.wasLostUnused() || (wasUnanswered && error instanceof errors.SocketError)) return undefined
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
    return await overLine(createHttpLine(target, connection), target, call, means)
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
    const received = await speakHttp(line, spoken, means.ways.clock, call.signal)
    means.idle.keep(line)
    return received
  } catch (error) {
    // undici validates a request before it writes it.
    const unsent = error instanceof errors.InvalidArgumentError || line.wasLostUnused()
    if (unsent) call.mayHaveArrived = false
    line.close()
    throw error
  }
}

function takeAddress(address: string, call: Call, means: Means): Promise<() => void> {
  return means.addressSlots[laneOf(call)].take(addressOwner(address), call.signal)
}

/**
 * Lanes have separate slots, so an agent that is busy with long jobs can still be checked and asked for prices. Calls that
 * may reach a private network do not hold up those that may not.
 */
function laneKey(call: Call, { host, isPrivate }: Target): string {
  return `${laneOf(call)} ${isPrivate === 'no' ? '' : 'private '}${host}`
}

/** The lane follows from the method and the timeout, so that no caller can forget to set it. */
function laneOf({ method, timeoutMs }: Pick<Call, 'method' | 'timeoutMs'>): Lane {
  if (timeoutMs > PROBE_LIMITS.timeoutMs) return 'work'
  return method === 'GET' ? 'read' : 'ask'
}
