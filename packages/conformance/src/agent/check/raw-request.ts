import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { systemClock } from '@farebox/protocol/time/clock'
import type { CheckContext } from './context.ts'
import { readRawAnswer } from '../exchange/raw-answer.ts'
import type { Reply } from '../exchange/send-request.ts'
import { Mismatch, NoAnswer } from '../exchange/verdicts.ts'

/** The agent's address and the run's signal, as far as sockets need them. */
type Line = Pick<CheckContext, 'baseUrl' | 'signal'>

/** An agent that has neither answered nor closed the connection within this time is assumed not to do so. */
const SILENCE_MS = 5_000

/** Longer than any response to these requests. */
const MAX_CHARACTERS = 200_000

/**
 * Sends bytes that `fetch` would refuse to send, and reads until the agent closes the connection or the first response is
 * complete. Returns the response to the first request on the connection.
 *
 * Throws a `Mismatch` when the connection ends without a response, and a `NoAnswer` when the agent cannot be reached or is
 * silent.
 */
export async function sendRaw(line: Line, bytes: string): Promise<Reply> {
  const received = await exchangeRaw(line, bytes, text => readRawAnswer(text)?.isWhole === true)
  const reply = readRawAnswer(received)
  if (reply === undefined)
    throw new Mismatch(
      'an HTTP answer',
      received === '' ? 'a closed connection, or silence' : received.slice(0, 80),
    )
  return reply
}

/**
 * Writes bytes to a new connection and resolves to the received bytes when `enough` is satisfied or the connection ends.
 * Throws a `NoAnswer` when the connection cannot be opened.
 */
export async function exchangeRaw(
  { baseUrl, signal }: Line,
  bytes: string,
  enough: (text: string) => boolean,
): Promise<string> {
  signal.throwIfAborted()
  const { socket, ready } = open(new URL(baseUrl))
  return await new Promise((resolve, reject) => {
    let text = ''
    let isConnected = false
    const finish = (error?: unknown): void => {
      cancel()
      signal.removeEventListener('abort', abort)
      socket.destroy()
      if (isConnected || signal.aborted) resolve(text)
      else reject(new NoAnswer('an HTTP answer', error instanceof Error ? error.message : 'no connection'))
    }
    const abort = (): void => finish()
    signal.addEventListener('abort', abort)
    const cancel = systemClock.after(SILENCE_MS, abort)
    socket.setEncoding('latin1')
    socket.on(ready, () => {
      isConnected = true
    })
    socket.on('data', (chunk: string) => {
      text += chunk
      if (enough(text) || text.length > MAX_CHARACTERS) finish()
    })
    // The agent may close the connection with a reset after the response; the bytes received before it count.
    socket.on('error', finish)
    socket.on('close', abort)
    socket.write(bytes, 'latin1')
  })
}

/** Sends a complete request and disconnects without waiting for the response. */
export async function sendAndLeave(baseUrl: string, bytes: string): Promise<void> {
  const { socket } = open(new URL(baseUrl))
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

function open(url: URL): { readonly socket: Socket; readonly ready: 'connect' | 'secureConnect' } {
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  if (!secure) return { socket: connectTcp({ host, port }), ready: 'connect' }
  // An IP address cannot be used as a TLS server name.
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { socket: connectTls({ host, port, ...name }), ready: 'secureConnect' }
}
