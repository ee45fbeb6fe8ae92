import { createServer } from 'node:net'

/**
 * Finds a TCP port on which no process listens at the moment. Another process may take it before the caller does: prefer a
 * program that accepts port 0, and try again when the port was taken.
 *
 * @param host - the address on which the port must be free, default 127.0.0.1
 */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer()
  return await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error(`No TCP port on ${host}`))
        else resolve(address.port)
      })
    })
  })
}
