import type { ServerResponse } from 'node:http'
import { Pool, type Dispatcher } from 'undici'
import { serve } from '../../../../e2e/stage/serve.ts'
import type { Answer } from '../event-log.ts'

/** One HTTP request in progress. */
export interface Crossing {
  /** The JSON-RPC method if the body names one, else the path. */
  readonly call: string
  readonly body: string
  /** Value of `PAYMENT-SIGNATURE`; empty if there is none. */
  readonly payment: string
  /** The wire of the request. */
  readonly wire: Pick<Wire, 'breakFor' | 'target'>
  /** The caller's answer. */
  readonly response: ServerResponse
  /** Forwards it and reads the whole answer. May be called again. */
  deliver(): Promise<Answer>
}

/** The effect of a fault on a request. */
export type Act = (crossing: Crossing) => Promise<void> | void

/** A fault of requests on a wire. */
export interface WireFault {
  /** The affected requests: by a path, the beginning of a JSON-RPC method, or by having a payment (`paid`). */
  readonly on: string
  readonly act: Act
  /** The number of affected requests; later ones pass. */
  readonly times: number
}

/** A proxy between a caller and a server: client and agent, agent and facilitator, facilitator and chain node. */
export interface Wire {
  readonly url: string
  /** The server's. */
  readonly target: string
  /** Applies a fault to requests whose body contains this text; the returned function says whether it has happened. */
  breakFor(mark: string, fault: WireFault): () => boolean
  /** Resolves once no request is in progress. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** Forwards a request, by `deliver`, and may read or change the answer. */
export type Carry = (
  request: Pick<Crossing, 'call' | 'body' | 'payment'>,
  deliver: () => Promise<Answer>,
) => Promise<Answer>

/** Starts it on 127.0.0.1. */
export async function startWire(target: string, carry: Carry = (_, deliver) => deliver()): Promise<Wire> {
  const connections = new Pool(target)
  const faults: (WireFault & { readonly mark: string; left: number })[] = []
  const running = new Set<Promise<void>>()
  const breakFor: Wire['breakFor'] = (mark, fault) => {
    const added = { ...fault, mark, left: fault.times }
    faults.push(added)
    return () => added.left < fault.times
  }
  const pass = async (crossing: Crossing): Promise<void> => {
    const { call, body, payment, response, deliver } = crossing
    const isMeant = (on: string): boolean => (on === 'paid' ? payment !== '' : call.startsWith(on))
    const fault = faults.find(({ mark, on, left }) => left > 0 && body.includes(mark) && isMeant(on))
    if (fault === undefined) return give(response, await deliver())
    fault.left -= 1
    await fault.act(crossing)
  }
  const { url, stop } = await serve((request, response, bytes) => {
    const { connection: _, 'content-length': __, 'transfer-encoding': ___, ...headers } = request.headers
    const body = bytes.toString('utf8')
    const path = request.url ?? ''
    const crossed = {
      call: /"method"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? path,
      body,
      payment: String(headers['payment-signature'] ?? ''),
    }
    const method = request.method === 'GET' ? 'GET' : 'POST'
    const sent = { method, path, headers, ...(bytes.length > 0 && { body: bytes }) } as const
    const deliver = (): Promise<Answer> => carry(crossed, () => ask(connections, sent))
    const passing = pass({ ...crossed, wire: { breakFor, target }, response, deliver })
      .catch(() => void response.destroy())
      .finally(() => running.delete(passing))
    running.add(passing)
  })
  return {
    url,
    target,
    breakFor,
    idle: async () => void (await Promise.all(running)),
    stop: async () => void (await Promise.all([stop(), connections.destroy()])),
  }
}

/** Sends a request and reads the whole answer. */
export async function ask(connections: Dispatcher, request: Dispatcher.RequestOptions): Promise<Answer> {
  const { statusCode, headers, body } = await connections.request(request)
  return { status: statusCode, headers, body: await body.text() }
}

/** Sends a caller this answer. */
export function give(response: ServerResponse, answer: Answer): void {
  giveHead(response, answer)
  response.end(answer.body)
}

/** Only its headers; they state the length of the body, also if that was changed. */
export function giveHead(response: ServerResponse, { status, headers, body }: Answer): void {
  const { 'content-length': _, 'transfer-encoding': __, ...rest } = headers
  response.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(body) })
}
