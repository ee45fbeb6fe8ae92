import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A small HTTP server of a test, on a free port. */
export interface Served {
  readonly url: string
  stop(): Promise<void>
}

/** Serves on 127.0.0.1; the whole body is read before the handler is called. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<Served> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => handle(request, response, Buffer.concat(chunks)))
  })
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
