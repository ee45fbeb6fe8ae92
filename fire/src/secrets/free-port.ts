import { createServer } from 'node:net'

/** Free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  await new Promise(resolve => server.close(resolve))
  return port
}
