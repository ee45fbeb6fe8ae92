import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Pages } from '@farebox/web/create-pages'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_HEADERS } from './page-headers.ts'

/**
 * A request that accepts this type gets the page of its path; other requests, such as those of programs that accept any
 * type, get the API's JSON.
 */
const HTML = /\btext\/html\b/

/** Paths that belong to the API regardless of the `accept` header. */
const API = /^\/(?:v1|health|ready|\.well-known|metrics)(?:\/|$)/

/** The path of a registration before the platform had pages; programs of that time still print it. */
const BEFORE = /^\/stake\/([^/]+)$/

const A_YEAR = 'public, max-age=31536000, immutable'
const AN_HOUR = 'public, max-age=3600'
/** This quality compresses documents well enough and is fast. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/**
 * Serves the pages and the API on the same port. A page calls the API within this process with the user's address and
 * session, so all limits apply. It must be called before the API's routes are mounted.
 */
export function mountPages(app: FastifyInstance, pages: Pages): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const path = new URL(request.url, 'http://localhost').pathname
    const file = pages.files.get(path)
    if (file !== undefined) {
      reply.headers({
        'content-type': file.type,
        'cache-control': file.isImmutable ? A_YEAR : AN_HOUR,
        vary: 'accept-encoding',
      })
      const encoding = chooseEncoding(request)
      if (encoding !== undefined) reply.header('content-encoding', encoding)
      return await reply.send(encoding === undefined ? file.raw : encoding === 'br' ? file.brotli : file.gzip)
    }
    const registrationId = BEFORE.exec(path)?.[1]
    if (registrationId !== undefined) return await reply.redirect(`/register/${registrationId}`, 308)
    if (API.test(path)) return undefined
    // A page and the API's JSON have the same URL, so a cache must distinguish them by the `accept` header.
    if (!HTML.test(request.headers.accept ?? '')) return void reply.header('vary', 'accept')
    return await sendPage(app, pages, request, reply)
  })
}

async function sendPage(
  app: FastifyInstance,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, html, isPersonal } = await pages.render({
    path: request.url,
    theme: readTheme(request.headers.cookie),
    async transport(path, { method = 'GET', headers = {} }) {
      const { cookie } = request.headers
      const answer = await app.inject({
        method,
        url: path,
        headers: { ...headers, accept: 'application/json', ...(cookie !== undefined && { cookie }) },
        remoteAddress: request.ip,
      })
      return {
        status: answer.statusCode,
        headers: { get: name => headerOf(answer.headers[name]) },
        body: answer.body === '' ? undefined : JSON.parse(answer.body),
      }
    },
  })
  reply.code(status).headers(PAGE_HEADERS)
  if (isPersonal) reply.header('cache-control', 'private, no-store')
  const encoding = chooseEncoding(request)
  if (encoding === undefined) return await reply.send(html)
  reply.header('content-encoding', encoding)
  const text = Buffer.from(html)
  return await reply.send(await (encoding === 'br' ? compressBrotli(text, BROTLI) : compressGzip(text)))
}

function chooseEncoding(request: FastifyRequest): 'br' | 'gzip' | undefined {
  const accepted = request.headers['accept-encoding'] ?? ''
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined
}

/** The theme chosen by the user; no other text of the cookie gets into the document. */
function readTheme(cookie: string | undefined): 'light' | 'dark' | undefined {
  const theme = /(?:^|;\s*)theme=(light|dark)(?:;|$)/.exec(cookie ?? '')?.[1]
  return theme === 'light' || theme === 'dark' ? theme : undefined
}

function headerOf(value: number | string | readonly string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
