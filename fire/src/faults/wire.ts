import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { serve } from '../../../e2e/stage/serve.ts'

/** One HTTP request on its way, and everything that can be done to it. */
export interface Crossing {
  readonly path: string
  readonly body: string
  /** `PAYMENT-SIGNATURE`, where it carries one. */
  readonly paid: boolean
  /** Hands it on and reads the whole answer. May be called again: the request is then delivered again. */
  deliver(): Promise<Delivered>
  /** Answers the caller. */
  answer(status: number, text: string, headers?: { readonly [name: string]: string }): void
  /** As it came. */
  answerWith(delivered: Delivered): void
  /** So many milliseconds between two bytes of the body. */
  drip(delivered: Delivered, everyMs: number): void
  /** Says how long the body is, sends half of it and breaks off. */
  breakOff(delivered: Delivered): void
  /** Ends the connection without a word. */
  reset(): void
}

/** An answer that came back. */
export interface Delivered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Does something to a crossing; `false`: it is none of mine, let it pass. */
export type WireFault = (crossing: Crossing) => Promise<boolean>

/** Stands between a caller and a server. */
export interface Wire {
  readonly url: string
  /** Puts a fault on whatever carries this text, a payer's address or a job_id, in its body. */
  breakFor(mark: string, fault: WireFault): void
  stop(): Promise<void>
}

/** Starts it on 127.0.0.1. The caller's `Host` reaches the server: payments are bound to it (D13). */
export async function startWire(
  target: string,
  options: { readonly change?: (path: string, delivered: Delivered) => Delivered } = {},
): Promise<Wire> {
  const faults = new Map<string, WireFault>()
  const { change = (_: string, delivered: Delivered) => delivered } = options
  const { url, stop } = await serve((request, response, body) => {
    const crossing = cross(target, request, response, body, change)
    pass(crossing).catch(() => request.socket.destroy())
  })
  const pass = async (crossing: Crossing): Promise<void> => {
    for (const [mark, fault] of faults) {
      if (crossing.body.includes(mark) && (await fault(crossing))) return
    }
    crossing.answerWith(await crossing.deliver())
  }
  return { url, breakFor: (mark, fault) => void faults.set(mark, fault), stop }
}

function cross(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  change: (path: string, delivered: Delivered) => Delivered,
): Crossing {
  const path = request.url ?? ''
  const head = ({ status, headers, text }: Delivered): void => {
    // The length is ours to say: the text may have been changed.
    const { 'content-length': _, 'transfer-encoding': __, ...rest } = headers
    response.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(text) })
  }
  return {
    path,
    body: body.toString('utf8'),
    paid: request.headers['payment-signature'] !== undefined,
    deliver: async () => change(path, await deliver(target, request, body)),
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
    const { connection: _, ...rest } = headers
    const passed = ask(target + (url ?? ''), { method, headers: rest, agent: false }, answer => {
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
    })
    passed.once('error', reject)
    passed.end(body)
  })
}
