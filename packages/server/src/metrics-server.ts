import { createServer } from 'node:http'
import type { Registry } from 'prom-client'

/** Serves `GET /metrics` for Prometheus on its own port, so that it is never on the public port (D31). */
export async function startMetricsServer(
  registry: Registry,
  options: { readonly host: string; readonly port: number },
): Promise<{ stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.replace(/\?$/, '') !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return {
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
