import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** One address for several replicas, some of which may be down at any time. */
export interface Balancer {
  readonly url: string
  /** The loopback ports of the running replicas. */
  readonly ports: Set<number>
  close(): Promise<void>
}

/** Starts a balancer: each connection goes to the next replica that accepts it. */
export async function startBalancer(): Promise<Balancer> {
  const ports = new Set<number>()
  const sockets = new Set<Socket>()
  let turn = 0
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  }
  const server = createServer(client => {
    keep(client)
    const all = [...ports]
    const attempt = (tries: number): void => {
      const port = all[(turn += 1) % Math.max(1, all.length)]
      if (port === undefined || tries > all.length) return void client.destroy()
      const replica = connect(port, '127.0.0.1')
      keep(replica)
      replica.once('error', () => attempt(tries + 1))
      replica.once('connect', () => {
        replica.removeAllListeners('error')
        replica.on('error', () => client.destroy())
        client.pipe(replica).pipe(client)
        replica.once('close', () => client.destroy())
        client.once('close', () => replica.destroy())
      })
    }
    attempt(0)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
