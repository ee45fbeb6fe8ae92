import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sendChunks } from './chunks.ts'

/** Connections on which a body was begun in one-byte chunks and never ended. */
export interface Drips {
  /** One-byte chunks that were handed to the network, over all connections. */
  readonly sent: number
  end(): void
}

/** How a request is begun. */
export interface DripOptions {
  readonly url: string
  readonly headers?: readonly string[]
  readonly connections: number
  /** One-byte chunks on each; fewer where the server closes the connection. */
  readonly chunks: number
}

/** Begins the requests; resolves when all is sent, or nothing more is taken. */
export async function dripRequests(options: DripOptions): Promise<Drips> {
  const drips = await Promise.all(
    Array.from({ length: options.connections }, async () => await dripOne(options)),
  )
  // What was handed to the network is still to be read there.
  await delay(500)
  return {
    sent: drips.reduce((sum, { sent }) => sum + sent, 0),
    end() {
      for (const { socket } of drips) socket.destroy()
    },
  }
}

async function dripOne({
  url,
  headers = [],
  chunks,
}: DripOptions): Promise<{ socket: Socket; sent: number }> {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  // The answer is read and forgotten.
  socket.resume()
  await once(socket, 'connect')
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    ...headers,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  let sent = 0
  await sendChunks(socket, { chunks }, count => {
    sent += count
  })
  return { socket, sent }
}
