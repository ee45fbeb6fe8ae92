import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a server responds, or fails to. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void

/** A real HTTP server on loopback with a configurable behaviour. */
export interface TestServer {
  readonly url: string
  /** Every received request, in order. */
  readonly received: readonly ReceivedRequest[]
  /** The number of connections opened to it. */
  connections(): number
  /** Sets the behaviour for later requests. */
  behave(behaviour: Behaviour): void
  stop(): Promise<void>
}

/** Starts a server that responds with `{}` until its behaviour is set. */
export async function startServer(): Promise<TestServer> {
  const received: ReceivedRequest[] = []
  let behaviour = answering(200, {})
  let connections = 0
  const server = createServer((request, response) => {
    void text(request).then(
      body => {
        const { method = '', url = '', headers } = request
        const whole = { method, url, headers, body }
        received.push(whole)
        behaviour(response, whole)
      },
      () => response.destroy(),
    )
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    behave(next) {
      behaviour = next
    },
    async stop() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Responds with a status and a JSON body; a string is sent unchanged. */
export function answering(
  status: number,
  body: unknown,
  headers: { readonly [name: string]: string } = {},
): Behaviour {
  const bytes = typeof body === 'string' ? body : JSON.stringify(body)
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(bytes)
  }
}

/** Receives the request and sends no response. */
export const silent: Behaviour = () => undefined

/** Receives the request and drops the connection. */
export const resetting: Behaviour = response => {
  response.socket?.resetAndDestroy()
}

/** Starts a response and drops the connection in the middle of it. */
export const breakingOff: Behaviour = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"success":true,', () => response.socket?.resetAndDestroy())
}

/** Sends white space forever, a byte at a time, so that each single wait is short. */
export const dripping: Behaviour = response => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const drip = setInterval(() => response.write(' '), 10)
  response.on('close', () => clearInterval(drip))
}

/** Responds with JSON of more than this many bytes. */
export function answeringLargely(bytes: number): Behaviour {
  return answering(200, {
    isValid: true,
    success: true,
    transaction: `0x${'a'.repeat(64)}`,
    padding: 'x'.repeat(bytes),
  })
}
