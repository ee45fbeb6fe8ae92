import { connect } from 'node:net'
import type { ReadAnswer } from '../oracle/answer-table.ts'

/** What came back over one connection. */
export interface RawExchange {
  readonly answers: readonly ReadAnswer[]
  /** Bytes that are no whole answer. */
  readonly rest: string
  readonly isClosed: boolean
}

/**
 * Sends bytes as they are, in as many pieces as given, and reads what comes until the other side closes, until so
 * many answers are there, or until nothing came for a while.
 */
export function exchangeRaw(
  port: number,
  pieces: readonly (string | Buffer)[],
  options: { readonly answers?: number; readonly quietMs?: number; readonly cut?: boolean } = {},
): Promise<RawExchange> {
  const { answers: enough = Number.POSITIVE_INFINITY, quietMs = 400, cut = false } = options
  return new Promise(resolve => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1' })
    const finish = (isClosed: boolean): void => {
      clearTimeout(quiet)
      socket.destroy()
      resolve({ ...readAnswers(received), isClosed })
    }
    let quiet = setTimeout(() => finish(false), quietMs)
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.on('close', () => finish(true))
    socket.on('data', (text: string) => {
      received += text
      clearTimeout(quiet)
      if (readAnswers(received).answers.length >= enough) return finish(false)
      quiet = setTimeout(() => finish(false), quietMs)
    })
    socket.on('connect', () => {
      for (const piece of pieces)
        socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
      if (cut) socket.destroySoon()
    })
  })
}

/** The answers in what was received, by their lengths; interim ones are left out. */
function readAnswers(received: string): { readonly answers: readonly ReadAnswer[]; readonly rest: string } {
  const answers: ReadAnswer[] = []
  let rest = received
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const head = /^HTTP\/1\.1 (\d{3})[^\r\n]*/.exec(rest)
    if (end === -1 || head === null) return { answers, rest }
    const headers = readHeaders(rest.slice(head[0].length + 2, end))
    const length = Number(headers.get('content-length') ?? 0)
    if (rest.length < end + 4 + length) return { answers, rest }
    const status = Number(head[1])
    if (status >= 200)
      answers.push({
        status,
        headers,
        text: Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString('utf8'),
      })
    rest = rest.slice(end + 4 + length)
  }
}

function readHeaders(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}
