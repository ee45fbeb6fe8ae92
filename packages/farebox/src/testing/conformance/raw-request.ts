import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { systemClock } from '../../clock.ts'
import { Mismatch } from './verdicts.ts'
import { parseJson, type Reply } from './send-request.ts'

/** An agent that has not answered and not hung up by then never will. */
const SILENCE_MS = 5_000

/**
 * Sends bytes that `fetch` would refuse to send, and reads until the agent closes the connection or the first
 * answer is whole. The answer to the first request on the connection is returned.
 *
 * Throws a `Mismatch` where the connection ends without an answer.
 */
export async function sendRaw(baseUrl: string, bytes: string): Promise<Reply> {
  const received = await exchange(baseUrl, bytes, text => isWhole(text))
  const reply = parseAnswer(received)
  if (reply === undefined)
    throw new Mismatch('an HTTP answer', received === '' ? 'a closed connection' : received.slice(0, 80))
  return reply
}

/** Writes bytes to a fresh connection and resolves to what came until `enough`, or until the end. */
export async function exchange(
  baseUrl: string,
  bytes: string,
  enough: (text: string) => boolean,
): Promise<string> {
  const socket = open(new URL(baseUrl))
  return await new Promise(resolve => {
    let text = ''
    const finish = (): void => {
      cancel()
      socket.destroy()
      resolve(text)
    }
    const cancel = systemClock.after(SILENCE_MS, finish)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (enough(text)) finish()
    })
    // A reset after the answer is the agent's way to close; what had come by then counts.
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(bytes, 'latin1')
  })
}

/** Sends a whole request and hangs up without waiting for its answer. */
export async function sendAndLeave(baseUrl: string, bytes: string): Promise<void> {
  const socket = open(new URL(baseUrl))
  await new Promise<void>(resolve => {
    const leave = (): void => {
      socket.destroy()
      resolve()
    }
    socket.on('error', leave)
    socket.write(bytes, 'latin1', leave)
  })
}

/** The lines of a request: the request line, `Host`, the given headers, an empty line, the body. */
export function rawRequest(
  baseUrl: string,
  request: { readonly line: string; readonly headers?: readonly string[]; readonly body?: string },
): string {
  const lines = [request.line, `Host: ${new URL(baseUrl).host}`, ...(request.headers ?? [])]
  return `${lines.join('\r\n')}\r\n\r\n${request.body ?? ''}`
}

function open(url: URL): Socket {
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  return secure ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
}

function isWhole(text: string): boolean {
  const reply = parseAnswer(text)
  const length = reply?.headers.get('content-length')
  return reply !== undefined && length !== null && length !== undefined && reply.text.length >= Number(length)
}

/** The first answer in the text; undefined where its head is not complete. */
function parseAnswer(text: string): Reply | undefined {
  const end = text.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]
  if (end === -1 || status === undefined) return undefined
  const headers = new Headers()
  for (const line of text.slice(0, end).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  }
  const length = headers.get('content-length')
  const rest = text.slice(end + 4)
  const body = length === null ? rest : rest.slice(0, Number(length))
  return { status: Number(status), headers, text: body, json: parseJson(body) }
}
