import { parseJson } from '@farebox/protocol/internal/guards/json'
import type { Reply } from './send-request.ts'

/** A response received over a raw socket. */
export interface RawAnswer extends Reply {
  /** Whether the head states where the body ends, and the body is complete. */
  readonly isWhole: boolean
}

/**
 * Reads the first response from the bytes of a connection: its head, and its body by `Content-Length`, by chunks, or up to
 * the end. Returns `undefined` when the head is incomplete or not HTTP.
 *
 * @param text one character for each byte
 */
export function readRawAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1])
  if (end === -1 || !Number.isInteger(status)) return undefined
  const headers = readHeaders(text.slice(0, end))
  const { body, isWhole } = readBody(status, headers, text.slice(end + 4))
  return { status, headers, text: body, json: parseJson(body), isWhole }
}

function readHeaders(head: string): Headers {
  const headers = new Headers()
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    try {
      if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
    } catch {
      // A name or value that is invalid in a header is skipped; the other headers count.
    }
  }
  return headers
}

interface Body {
  readonly body: string
  readonly isWhole: boolean
}

function readBody(status: number, headers: Headers, rest: string): Body {
  if (status === 204 || status === 304) return { body: '', isWhole: true }
  if (/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) return readChunks(rest)
  const length = headers.get('content-length')
  if (length === null || !/^\d+$/.test(length)) return { body: rest, isWhole: false }
  return { body: rest.slice(0, Number(length)), isWhole: rest.length >= Number(length) }
}

function readChunks(rest: string): Body {
  let body = ''
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.slice(at, lineEnd), 16)
    if (lineEnd === -1 || !Number.isInteger(size)) return { body, isWhole: false }
    if (size === 0) return { body, isWhole: true }
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}
