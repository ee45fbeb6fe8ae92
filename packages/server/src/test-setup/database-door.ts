import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** The way to a database, which a test can shut: connections break, and new ones are refused. */
export interface DatabaseDoor {
  /** The connection string of the proxy. */
  readonly url: string
  shut(): Promise<void>
  open(): Promise<void>
}

/** Starts a proxy to the database of a connection string; it stays at one port of this machine. */
export async function openDatabaseDoor(connectionString: string): Promise<DatabaseDoor> {
  const { hostname, port } = new URL(connectionString)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const url = new URL(connectionString)
  url.hostname = '127.0.0.1'
  url.port = '0'

  const open = async (): Promise<void> => {
    server = createServer(caller => {
      const database = connect(Number(port || 5_432), hostname)
      for (const socket of [caller, database]) {
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          sockets.delete(socket)
          caller.destroy()
          database.destroy()
        })
      }
      caller.pipe(database).pipe(caller)
    })
    await once(server.listen(Number(url.port), '127.0.0.1'), 'listening')
    url.port = String((server.address() as AddressInfo).port)
  }
  const shut = async (): Promise<void> => {
    server?.close()
    for (const socket of sockets) socket.destroy()
    if (server?.listening === true) await once(server, 'close')
  }
  await open()
  return { url: url.href, shut, open }
}
