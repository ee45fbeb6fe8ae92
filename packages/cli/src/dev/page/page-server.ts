import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readNodeStream } from '@farebox/protocol/internal/body/read-node-stream'
import { createConnections } from '@farebox/protocol/internal/connection/connections'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { steadyClock } from '@farebox/protocol/time/clock'
import type { DevAnswer, DevJob, PageRefusal } from '@farebox/web/internal/dev-page/wire'
import type { Clock } from 'farebox'
import type { DevFeed } from './dev-feed.ts'
import { openEventStream } from './event-stream.ts'
import { readRunRequest, refuseForeignPage } from './refuse-foreign.ts'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PageServerOptions {
  readonly clock: Clock
  readonly feed: Pick<DevFeed, 'subscribe'>
  readonly prepare: () => Promise<void>
  /** Runs a job. Returns a string with the reason when the job is not run. */
  readonly run: (request: DevJob) => Promise<DevAnswer | string>
}

export interface PageServer {
  readonly url: string
  close(): Promise<void>
}

/** The page is available on this machine only, whatever the agent's `--host` is. */
const HOST = '127.0.0.1'
const MAX_STREAMS = 8
const MAX_CONNECTIONS = 64

/** The complete response to bytes that are not a request. */
const UNREADABLE = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // An image that an agent returned is shown through a blob URL.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS: { readonly [name: string]: string } = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** A running page server. */
interface PageService {
  readonly options: PageServerOptions
  readonly connections: ReturnType<typeof createConnections>
  /** The number of pages that receive the feed. */
  streams: number
  /** Read at the first request for a file. */
  files: Promise<ReadonlyMap<string, PageFile>> | undefined
}

/**
 * Serves the page and its two endpoints: `GET /events`, the messages of the terminal, and `POST /run`, which runs one job.
 * Rejects when the port is taken.
 *
 * @param port 0 selects any free port
 */
export async function startPageServer(port: number, options: PageServerOptions): Promise<PageServer> {
  const connections = createConnections({
    nowMs: steadyClock.nowMs,
    after: (ms, callback) => options.clock.after(ms, callback),
  })
  const service: PageService = { options, connections, streams: 0, files: undefined }
  const server = createServer((request, response) => {
    if (!connections.begin(request, response)) return
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    answer(service, request, response).catch(() => refuse(response, 500, 'the page could not be made'))
  })
  server.on('clientError', (error, socket) => connections.refuse(socket, error, UNREADABLE))
  server.maxConnections = MAX_CONNECTIONS
  await listen(server, port)
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  service: PageService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const foreign = refuseForeignPage(request, request.socket.localPort ?? 0)
  if (foreign !== undefined) return refuse(response, foreign.status, foreign.reason)
  const [path = '/'] = (request.url ?? '/').split('?')
  if (path === '/run')
    return request.method === 'POST'
      ? await run(service, request, response)
      : refuse(response, 405, 'POST runs a job')
  if (request.method === 'POST') return refuse(response, 405, 'POST is for /run alone')
  return path === '/events' ? await stream(service, response) : await sendFile(service, response, path)
}

async function stream(service: PageService, response: ServerResponse): Promise<void> {
  const { options } = service
  await options.prepare()
  if (response.req.socket.destroyed) return
  if (service.streams >= MAX_STREAMS)
    return refuse(response, 503, `at most ${MAX_STREAMS} pages follow at once`)
  service.streams += 1
  let unsubscribe = (): void => undefined
  const send = openEventStream(response, options.clock, () => {
    service.streams -= 1
    unsubscribe()
  })
  unsubscribe = options.feed.subscribe(send)
}

async function run(
  { options, connections }: PageService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readNodeStream(request, { maxBytes: 2 * MAX_BODY_BYTES })
  if (typeof body === 'string') {
    connections.closeGently(request)
    return refuse(response.setHeader('connection', 'close'), 413, `body: ${body}`)
  }
  const read = readRunRequest(new TextDecoder().decode(body))
  if (typeof read === 'string') return refuse(response, 400, read)
  await options.prepare()
  const ran = await options.run(read)
  if (typeof ran === 'string') return refuse(response, 409, ran)
  sendJson(response, 200, ran)
}

async function sendFile(service: PageService, response: ServerResponse, path: string): Promise<void> {
  service.files ??= readPageFiles()
  const file = (await service.files).get(path)
  if (file === undefined) return refuse(response, 404, 'there is no such page')
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': file.bytes.length,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  response.end(file.bytes)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: HOST, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function refuse(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) return void response.destroy()
  // The server does not wait for the rest of an unread body.
  response.setHeader('connection', 'close')
  sendJson(response, status, { error })
}

function sendJson(response: ServerResponse, status: number, body: DevAnswer | PageRefusal): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

interface PageFile {
  readonly type: string
  readonly bytes: Buffer
  readonly isImmutable: boolean
}

const TYPES: { readonly [ending: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The build's output folder, `dist/client`; the same path from the sources and from the compiled files. */
const FOLDER = fileURLToPath(new URL('../../../dist/client/', import.meta.url))

/**
 * Reads the files that were built for browsers, by URL path. Only these can be requested: no path of a request becomes a
 * path on the disk. Rejects when nothing was built.
 */
async function readPageFiles(folder = FOLDER): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[entry.name.slice(entry.name.lastIndexOf('.') + 1)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    files.set(path === '/index.html' ? '/' : path, {
      type,
      bytes: await readFile(file),
      isImmutable: path.startsWith('/assets/'),
    })
  }
  if (!files.has('/')) throw new Error(`${folder} holds no page`)
  return files
}
