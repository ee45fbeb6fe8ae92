import { connect, type Socket } from 'node:net'

/** A raw connection that remembers what it was sent. */
export interface RawConnection {
  readonly socket: Socket
  readonly connected: Promise<void>
  received(): string
  /** Resolves once what came is enough, or the connection is over. */
  until(enough: (received: string) => boolean): Promise<string>
  /** Resolves to all that came, once the other side has closed. */
  readonly closed: Promise<string>
}

export function connectRaw(port: number): RawConnection {
  const socket = connect({ port, host: '127.0.0.1' })
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  // How a connection ends is not the point of these tests; what came before is.
  socket.on('error', () => undefined)
  const closed = new Promise<string>(resolve => {
    socket.on('close', () => resolve(received))
  })
  return {
    socket,
    connected: new Promise(resolve => {
      socket.on('connect', resolve)
    }),
    received: () => received,
    closed,
    until: enough =>
      new Promise(resolve => {
        const look = (): void => {
          if (enough(received)) resolve(received)
        }
        look()
        socket.on('data', look)
        void closed.then(resolve)
      }),
  }
}
