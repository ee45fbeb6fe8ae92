import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { systemClock } from '@farebox/protocol/time/clock'
import type { CheckContext } from './context.ts'
import { readRawAnswer } from '../exchange/raw-answer.ts'
import type { Reply } from '../exchange/send-request.ts'
import { Mismatch, NoAnswer } from '../exchange/verdicts.ts'

/** To whom, and until when: a run, as far as its sockets go. */
type Line = Pick<CheckContext, 'baseUrl' | 'signal'>

/** An agent that has not answered and not hung up by then never will. */
const SILENCE_MS = 5_000

/** No answer asked for here is longer. */
const MAX_CHARACTERS = 200_000

/**
 * Sends bytes that `fetch` would refuse to send, and reads until the agent closes the connection or the first
 * answer is whole. The answer to the first request on the connection is returned.
 *
 * Throws a `Mismatch` where the connection ends without an answer, a `NoAnswer` where there was none to be had.
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
 * Writes bytes to a fresh connection and resolves to what came until `enough`, or until the end. Throws a
 * `NoAnswer` where nobody takes the connection.
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
    // A reset after the answer is the agent's way to close; what had come by then counts.
    socket.on('error', finish)
    socket.on('close', abort)
    socket.write(bytes, 'latin1')
  })
}

/** Sends a whole request and hangs up without waiting for its answer. */
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
  // An address is no server name.
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { socket: connectTls({ host, port, ...name }), ready: 'secureConnect' }
}
