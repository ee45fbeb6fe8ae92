import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP line to a server that can be cut, and fixed. */
export interface BreakableLine {
  readonly port: number
  cut(): void
  restore(): void
  stop(): Promise<void>
}

/** Opens it on 127.0.0.1. */
export async function openLine(target: {
  readonly host: string
  readonly port: number
}): Promise<BreakableLine> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer(near => {
    if (isCut) return void near.destroy()
    const far = connect(target.port, target.host)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore() {
      isCut = false
    },
    async stop() {
      cut()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
