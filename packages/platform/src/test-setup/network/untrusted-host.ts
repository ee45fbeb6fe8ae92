import { once } from 'node:events'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TestCertificate } from './certificate.ts'

/** An untrusted server on loopback that writes exactly the bytes that a test sets. */
export interface UntrustedHost {
  readonly port: number
  /** The number of TCP connections accepted so far. */
  connections(): number
  /** The headers of the received requests, as text. */
  readonly requests: readonly string[]
  /** The server names requested by TLS. */
  readonly serverNames: readonly string[]
  close(): Promise<void>
}

/** The reaction of an untrusted host after it has received the headers of a request. */
export type Behaviour = (socket: Socket, head: string) => void

/** Starts a host, with TLS when there is a certificate. */
export async function startUntrustedHost(
  behave: Behaviour,
  options: { readonly certificate?: TestCertificate; readonly host?: string } = {},
): Promise<UntrustedHost> {
  const requests: string[] = []
  const serverNames: string[] = []
  const sockets = new Set<Socket>()
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = received.slice(0, end)
      received = ''
      requests.push(head)
      behave(socket, head)
    })
  }
  const server = makeServer(options.certificate, serve, serverNames)
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    requests,
    serverNames,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A response with a content-length, as an ordinary server writes it. */
export function answer(body: string, ...headerLines: readonly string[]): Behaviour {
  return socket => {
    socket.write(httpHead(200, `content-length: ${Buffer.byteLength(body)}`, ...headerLines) + body)
  }
}

/** The status line and the headers of a response. */
export function httpHead(status: number, ...headerLines: readonly string[]): string {
  return [`HTTP/1.1 ${status} X`, ...headerLines, '', ''].join('\r\n')
}

/** Writes `start`, then `chunk` repeatedly, as fast as it is read, until the connection is closed. */
export function flood(start: string, chunk: string | Buffer): Behaviour {
  return socket => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(chunk)) {
        // Continue while the buffer has room.
      }
    }
    socket.on('drain', write)
    socket.write(start)
    write()
  }
}

/** Writes `start`, then `text` one character at a time. */
export function drip(start: string, text: string, everyMs = 5): Behaviour {
  return socket => {
    let written = 0
    socket.write(start)
    const timer = setInterval(() => {
      if (socket.destroyed || written === text.length) clearInterval(timer)
      else socket.write(text.charAt(written++))
    }, everyMs)
  }
}

function makeServer(
  certificate: TestCertificate | undefined,
  serve: (socket: Socket) => void,
  serverNames: string[],
): Server {
  if (certificate === undefined) return createTcpServer(serve)
  const { key, certificate: cert } = certificate
  const server = createTlsServer({ key, cert, SNICallback: noteServerName }, serve)
  server.on('tlsClientError', () => undefined)
  return server

  function noteServerName(name: string, done: (error: null) => void): void {
    serverNames.push(name)
    done(null)
  }
}
