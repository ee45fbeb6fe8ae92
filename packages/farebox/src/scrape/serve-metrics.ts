import { createServer, type Server, type ServerResponse } from 'node:http'
import { EnvironmentError } from '../environment/environment-error.ts'
import type { MetricsAddress, MetricsServer, MetricsSource } from '../metrics/agent-metrics.ts'

/** Limits for scrapers, which send small and frequent requests; larger requests are refused. */
const GUARDS = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 }
const MAX_CONNECTIONS = 20

/**
 * Serves `GET /metrics` for Prometheus and `GET /ready` for balancers on a separate port (D31). `/ready` answers 200
 * while new jobs should come to this agent, else 503. Throws an `EnvironmentError` when it cannot
 * listen there.
 */
export async function serveMetrics(
  source: Pick<MetricsSource, 'contentType' | 'metrics'>,
  { host, port }: MetricsAddress,
  isReady: () => boolean,
): Promise<MetricsServer> {
  const server = createServer(GUARDS, (request, response) => {
    const path = request.url?.replace(/\?$/, '')
    if (path !== '/metrics' && path !== '/ready') return void response.writeHead(404).end()
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end()
    if (path === '/ready') return answerReady(response, isReady())
    source.metrics().then(
      text =>
        response
          .writeHead(200, { 'content-type': source.contentType, 'cache-control': 'no-store' })
          .end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  await listen(server, { host, port })
  // The metrics server does not keep the process alive.
  server.unref()
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}/metrics`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answerReady(response: ServerResponse, isReady: boolean): void {
  response
    .writeHead(isReady ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify({ status: isReady ? 'ready' : 'not ready' }))
}

async function listen(server: Server, { host, port }: MetricsAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, { host, port })))
    // The port is not shared among the workers of a cluster, because each worker would return only its own metrics.
    server.listen({ host, port, exclusive: true }, resolve)
  })
}

function refusal({ code = 'no reason given' }: NodeJS.ErrnoException, { host, port }: MetricsAddress): Error {
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new EnvironmentError({
      variable: 'SERVICE_METRICS_HOST',
      problem: 'is not an address of this machine',
      hint: 'leave it unset for 127.0.0.1, or set it to 0.0.0.0 for every interface',
    })
  return new EnvironmentError({
    variable: 'SERVICE_METRICS_PORT',
    problem: `cannot be listened on: ${host}:${port} ${code === 'EADDRINUSE' ? 'is taken' : `gives ${code}`}`,
    hint: 'choose another port, and not that of the agent itself; or leave it unset for no metrics',
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
