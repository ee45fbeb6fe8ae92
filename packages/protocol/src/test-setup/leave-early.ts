import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { connectRaw } from './connect-raw.ts'
import { until } from './until.ts'

/** The moments at which a caller disconnects. */
const MOMENTS = [
  'in its header',
  'in its body',
  'before it is answered',
  'while it takes the answer',
] as const
const WAYS: { readonly [way: string]: (socket: Socket) => unknown } = {
  'ends its side and is gone': socket => socket.end(() => socket.destroy()),
  leaves: socket => socket.destroy(),
  'is cut off': socket => socket.resetAndDestroy(),
}
/** The number of callers that act at the same time. */
const CALLERS = 4

/** How callers disconnect. */
export interface Leaving {
  readonly moment: (typeof MOMENTS)[number]
  readonly way: string
  /** The number of requests that each caller sends at once. */
  readonly requests: number
  readonly isBehindProxy: boolean
}

/** All combinations of moment and way, with one request and with several, directly and through a proxy. */
export const LEAVINGS: readonly Leaving[] = MOMENTS.flatMap(moment =>
  Object.keys(WAYS).flatMap(way =>
    [1, 3].flatMap(requests =>
      [false, true].map(isBehindProxy => ({ moment, way, requests, isBehindProxy })),
    ),
  ),
)

/** The server that callers disconnect from. */
export interface LeftServer {
  readonly port: number
  /** One complete request: its head, and its body if it has one. */
  readonly request: string
  readonly answers: HeldAnswers
  readonly connections: Connections
}

/** Holds responses back. */
export interface HeldAnswers {
  /** The number of requests that wait for their response. */
  waiting(): number
  /** Makes later responses wait for {@link release}. */
  hold(): void
  /** Releases waiting and later responses. */
  release(): void
  /** Awaited by each request before its response. */
  pass(): Promise<void>
}

export function createHeldAnswers(): HeldAnswers {
  let waiting = 0
  let release: () => void = () => undefined
  let released = Promise.resolve()
  return {
    waiting: () => waiting,
    hold() {
      released = new Promise(resolve => {
        release = resolve
      })
    },
    release: () => release(),
    async pass() {
      waiting += 1
      await released
      waiting -= 1
    },
  }
}

/** The open connections of a server. */
export interface Connections {
  count(): number
  /** The number of bytes that the server has read on all of them. */
  bytesRead(): number
}

/** Watches later connections to a port of this process. */
export function watchConnections(port: number): Connections {
  const open = new Set<Socket>()
  subscribe('net.server.socket', message => {
    const { socket } = message as { readonly socket: Socket }
    if (socket.localPort !== port) return
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    count: () => open.size,
    bytesRead: () => [...open].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
  }
}

/** Makes callers disconnect from a server; resolves once the server has no connections. */
export async function leaveEarly(server: LeftServer, leaving: Leaving): Promise<void> {
  const { moment, way, requests, isBehindProxy } = leaving
  const { answers } = server
  const proxy = isBehindProxy ? await openProxy(server.port) : undefined
  answers.hold()
  const callers = Array.from({ length: CALLERS }, () => connectRaw(proxy?.port ?? server.port))
  await Promise.all(callers.map(({ connected }) => connected))
  const sent = partOf(server.request.repeat(requests), moment)
  for (const { socket } of callers) socket.write(sent, 'latin1')
  await until(() => server.connections.bytesRead() === CALLERS * sent.length)
  if (moment === 'before it is answered' || moment === 'while it takes the answer')
    await until(() => answers.waiting() >= CALLERS)
  if (moment === 'while it takes the answer') {
    answers.release()
    // The rest of the request is not sent.
    await Promise.all(
      callers.map(async ({ socket, until: comes }) => {
        await comes(received => received !== '')
        socket.pause()
      }),
    )
  }
  for (const { socket } of callers) WAYS[way]?.(socket)
  // Held responses are created for callers that have disconnected or are disconnecting.
  answers.release()
  await until(() => server.connections.count() === 0 && answers.waiting() === 0)
  await proxy?.close()
}

function partOf(requests: string, moment: Leaving['moment']): string {
  if (moment === 'in its header') return requests.slice(0, requests.indexOf('\r\n\r\n') - 2)
  return moment === 'in its body' ? requests.slice(0, -2) : requests
}

/** A proxy that forwards all data, and the end of either side. */
async function openProxy(port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const proxy = createServer({ allowHalfOpen: true }, near => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    close: async () => {
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
