import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { serve } from '../../../../e2e/stage/serve.ts'

/** One HTTP request on its way, and everything that can be done to it. */
export interface Crossing {
  /** The JSON-RPC method where the body names one, else the path. */
  readonly call: string
  readonly body: string
  /** Value of `PAYMENT-SIGNATURE`; empty where it carries none. */
  readonly payment: string
  /** The wire that it crosses. */
  readonly wire: Pick<Wire, 'breakFor'>
  /** Hands it on, or another body in its place, and reads the whole answer. May be called again. */
  deliver(body?: string): Promise<Delivered>
  /** Answers the caller. */
  answer(status: number, text: string, headers?: { readonly [name: string]: string }): void
  /** As it came. */
  answerWith(delivered: Delivered): void
  /** So many milliseconds between two bytes of the body. */
  drip(delivered: Delivered, everyMs: number): void
  /** States the length of the body, sends half of it and breaks off. */
  breakOff(delivered: Delivered): void
  /** Ends the connection without an answer. */
  reset(): void
}

/** An answer that came back. */
export interface Delivered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** What is done to a crossing; `false`: nothing, it passes. */
export type WireFault = (crossing: Crossing) => Promise<boolean>

/** Stands between a caller and a server: client and agent, agent and facilitator, facilitator and chain node. */
export interface Wire {
  readonly url: string
  /** Puts a fault on each request whose body contains this text; returns its undo. */
  breakFor(mark: string, fault: WireFault): () => void
  /** Resolves once nothing is on its way. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** What else is done to all that crosses a wire. */
export interface WireOptions {
  /** Changes each answer of the server. */
  readonly change?: (call: string, delivered: Delivered) => Delivered
  /** Receives each request that was handed on, and its answer or the reason why there is none. */
  readonly onDelivery?: (request: Crossing, sentMs: number, answer: Delivered | Error) => void
}

/** Starts it on 127.0.0.1. The caller's `Host` reaches the server: payments are bound to it (D13). */
export async function startWire(target: string, options: WireOptions = {}): Promise<Wire> {
  const faults = new Map<string, WireFault>()
  const running = new Set<Promise<void>>()
  const breakFor: Wire['breakFor'] = (mark, fault) => {
    faults.set(mark, fault)
    return () => void faults.delete(mark)
  }
  const pass = async (crossing: Crossing): Promise<void> => {
    for (const [mark, fault] of faults) {
      if (crossing.body.includes(mark) && (await fault(crossing))) return
    }
    crossing.answerWith(await crossing.deliver())
  }
  const { url, stop } = await serve((request, response, body) => {
    const passing = pass(cross(target, { request, response, body }, { breakFor }, options))
      .catch(() => void request.socket.destroy())
      .finally(() => running.delete(passing))
    running.add(passing)
  })
  return { url, breakFor, idle: async () => void (await Promise.all(running)), stop }
}

function cross(
  target: string,
  exchange: {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    readonly body: Buffer
  },
  wire: Crossing['wire'],
  { change = (_, delivered) => delivered, onDelivery }: WireOptions,
): Crossing {
  const { request, response, body } = exchange
  const text = body.toString('utf8')
  const header = request.headers['payment-signature']
  const crossing: Crossing = {
    call: /"method"\s*:\s*"(\w+)"/.exec(text)?.[1] ?? request.url ?? '',
    body: text,
    payment: typeof header === 'string' ? header : '',
    wire,
    async deliver(other) {
      const sentMs = Date.now()
      try {
        const answer = await deliver(target, request, other === undefined ? body : Buffer.from(other))
        const delivered = change(crossing.call, answer)
        onDelivery?.(crossing, sentMs, delivered)
        return delivered
      } catch (error) {
        onDelivery?.(crossing, sentMs, error instanceof Error ? error : new Error(String(error)))
        throw error
      }
    },
    ...answersOf(request, response),
  }
  return crossing
}

/** What the caller may get. */
function answersOf(
  request: IncomingMessage,
  response: ServerResponse,
): Pick<Crossing, 'answer' | 'answerWith' | 'drip' | 'breakOff' | 'reset'> {
  const head = ({ status, headers, text }: Delivered): void => {
    // The text may have been changed, and its length with it.
    const { 'content-length': _, 'transfer-encoding': __, ...rest } = headers
    response.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(text) })
  }
  return {
    answer: (status, text, headers = { 'content-type': 'application/json' }) =>
      void response.writeHead(status, headers).end(text),
    answerWith(delivered) {
      head(delivered)
      response.end(delivered.text)
    },
    drip(delivered, everyMs) {
      head(delivered)
      const bytes = Buffer.from(delivered.text)
      let sent = 0
      const timer = setInterval(() => {
        response.write(bytes.subarray(sent, (sent += 1)))
        if (sent < bytes.length) return
        clearInterval(timer)
        response.end()
      }, everyMs)
    },
    breakOff(delivered) {
      head(delivered)
      response.write(delivered.text.slice(0, delivered.text.length / 2), () => request.socket.destroy())
    },
    reset: () => void request.socket.destroy(),
  }
}

function deliver(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Delivered> {
  return new Promise((resolve, reject) => {
    const { connection: _, 'content-length': __, 'transfer-encoding': ___, ...rest } = headers
    const length = body.length > 0 ? { 'content-length': body.length } : {}
    const passed = ask(
      target + (url ?? ''),
      { method, headers: { ...rest, ...length }, agent: false },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 502,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    passed.once('error', reject)
    passed.end(body)
  })
}
