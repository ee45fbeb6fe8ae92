import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@farebox/protocol/src/test-setup/until'
import { sendChunks } from './chunks.ts'

/** A server that answers each request with a JSON body in one-byte chunks, which never ends. */
export interface HostileServer {
  readonly url: string
  /** One-byte chunks handed to the network, over all connections. */
  sent(): number
  /** Resolves once so many answers have begun, and of none of them more is taken, or all has been sent. */
  quiet(answers: number): Promise<void>
  close(): Promise<void>
}

const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\n{\r\n'

/** What it answers with. */
export interface HostileAnswer {
  readonly chunks: number
  /** Each in a packet of its own, so that none is read together with its neighbours; else as fast as they are taken. */
  readonly apart: boolean
}

/** Starts it. */
export async function startHostileServer(answer: HostileAnswer): Promise<HostileServer> {
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
    await sendChunks(socket, answer, count => {
      sent += count
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    sent: () => sent,
    async quiet(answers) {
      await until(() => drips.length >= answers)
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
