import { createServer } from 'node:net'

/**
 * A TCP port that nobody listens on right now. Someone else may take it before you do: prefer a program that
 * takes port 0 itself, and try again where it cannot.
 *
 * @param host - the address it must be free on, default 127.0.0.1
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
