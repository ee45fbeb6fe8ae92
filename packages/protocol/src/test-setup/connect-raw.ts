import { connect, type Socket } from 'node:net'

/** A raw connection that records what it receives. */
export interface RawConnection {
  readonly socket: Socket
  readonly connected: Promise<void>
  received(): string
  /** Resolves once `enough` accepts the received text, or when the connection has ended. */
  until(enough: (received: string) => boolean): Promise<string>
  /** Resolves to everything received, once the other side has closed. */
  readonly closed: Promise<string>
}

export function connectRaw(port: number): RawConnection {
  const socket = connect({ port, host: '127.0.0.1' })
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  // These tests concern the received data, not how a connection ends, so errors are ignored.
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
