import { connect } from 'node:net'
import type { ReadAnswer } from '../oracle/answer-table.ts'

/** What came back over one connection. */
export interface RawExchange {
  readonly answers: readonly ReadAnswer[]
  /** Bytes that are no whole answer. */
  readonly rest: string
}

/**
 * Sends bytes as they are (a text as Latin-1), and reads what comes until the other side closes, until so many answers
 * are there, or until nothing came for a while.
 */
export function exchangeRaw(
  port: number,
  sent: string | Buffer,
  options: { readonly answers?: number; readonly quietMs: number },
): Promise<RawExchange> {
  const { answers: enough = Number.POSITIVE_INFINITY, quietMs } = options
  return new Promise(resolve => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(typeof sent === 'string' ? Buffer.from(sent, 'latin1') : sent)
    })
    const finish = (): void => {
      socket.destroy()
      resolve(readAnswers(received))
    }
    socket.setTimeout(quietMs, finish)
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.on('close', finish)
    socket.on('data', (text: string) => {
      received += text
      if (readAnswers(received).answers.length >= enough) finish()
    })
  })
}

/** The answers in what was received, by their lengths; interim ones are left out. */
function readAnswers(received: string): RawExchange {
  const answers: ReadAnswer[] = []
  let rest = received
  for (;;) {
    const [head = '', status, lines = ''] =
      /^HTTP\/1\.1 (\d{3})[^\r\n]*((?:\r\n[^\r\n]+)*)\r\n\r\n/.exec(rest) ?? []
    const headers = new Headers(
      lines
        .split('\r\n')
        .slice(1)
        .map((line): [string, string] => [
          line.slice(0, line.indexOf(':')),
          line.slice(line.indexOf(':') + 1),
        ]),
    )
    const end = head.length + Number(headers.get('content-length') ?? 0)
    if (head === '' || rest.length < end) return { answers, rest }
    const text = Buffer.from(rest.slice(head.length, end), 'latin1').toString('utf8')
    if (Number(status) >= 200) answers.push({ status: Number(status), headers, text })
    rest = rest.slice(end)
  }
}
