import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { oneByteChunks } from './one-byte-chunks.ts'

/** A server that answers each request with a JSON body in one-byte chunks, which never ends. */
export interface HostileServer {
  readonly url: string
  /** One-byte chunks handed to the network, over all connections. */
  sent(): number
  /** Resolves once so many answers have begun, and of none of them more is taken, or all has been sent. */
  quiet(answers: number): Promise<void>
  close(): Promise<void>
}

const STALLED_MS = 2_000
const ASKED_WITHIN_MS = 60_000
const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\n{\r\n'

/** What it answers with. */
export interface HostileAnswer {
  readonly chunks: number
  /** Each in a packet of its own, so that none is read together with its neighbours; else as fast as they are taken. */
  readonly apart: boolean
}

/** Starts it. */
export async function startHostileServer({ chunks, apart }: HostileAnswer): Promise<HostileServer> {
  let sent = 0
  const sockets = new Set<Socket>()
  const drips: Promise<void>[] = []
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => void drips.push(drip(socket)))
  })
  const drip = async (socket: Socket): Promise<void> => {
    socket.write(HEAD)
    socket.setNoDelay(true)
    for (const bytes of oneByteChunks(chunks, apart ? 1 : undefined)) {
      if (socket.destroyed) return
      if (apart) await nextTurn()
      if (!socket.write(bytes) && !(await drained(socket))) return
      sent += bytes.length / 6
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    sent: () => sent,
    async quiet(answers) {
      for (const endMs = Date.now() + ASKED_WITHIN_MS; drips.length < answers; await delay(20))
        if (Date.now() > endMs) throw new Error(`${drips.length} of ${answers} answers were asked for`)
      await Promise.all(drips)
      // What was handed to the network is still to be read there.
      await delay(500)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function drained(socket: Socket): Promise<boolean> {
  const over = new AbortController()
  const { signal } = over
  try {
    return await Promise.race([
      once(socket, 'drain', { signal }).then(() => true),
      once(socket, 'close', { signal }).then(() => false),
      delay(STALLED_MS, false, { signal }),
    ])
  } catch {
    return false
  } finally {
    over.abort()
  }
}
