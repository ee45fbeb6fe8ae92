import { connect } from 'node:net'
import fc from 'fast-check'
import type { BatteryResult, BatteryRun } from '../../battery.ts'
import { accidents, breakBytes } from '../generate/accidents.ts'
import { FIXED_DECLARATION } from '../generate/fixed-recipes.ts'
import { refuseBody, type ReadAnswer } from '../oracle/answer-table.ts'
import { findLeak } from '../oracle/foresee.ts'
import { createFuzzStage } from '../run/fuzz-stage.ts'

const HOST = 'Host: x\r\n'
const GET = `GET /health HTTP/1.1\r\n${HOST}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'

/** The number of concurrent connections: most wait, because broken requests are often incomplete. */
const AT_ONCE = 250
/** A due answer is awaited: this limit only ends a hang. */
const LONGEST_WAIT_MS = 600_000

/** A broken request may never be answered. The agent shares this process with its clients, so it gets some time. */
const QUIET_MS = 1_000
/** The number of requests with broken bytes in each size. */
const BROKEN = { small: 200, full: 50_000 } as const

/** Sends the cases below, and requests with broken bytes, to an agent on a port. */
export async function fuzzSockets({ seed, size, signal, progress }: BatteryRun): Promise<BatteryResult> {
  const broken = BROKEN[size]
  const { agent, close } = await createFuzzStage('paid', FIXED_DECLARATION, [])
  const port = await agent.listen({ port: 0, host: '127.0.0.1' })
  const findings: string[] = []
  const requests = fc
    .sample(fc.tuple(fc.constantFrom(...WHOLE), accidents), { seed, numRuns: broken })
    .values()
  let [exchanges, answers] = [0, 0]
  const note = (exchange: RawExchange, sent: string): void => {
    const { rest } = exchange
    const reasons = exchange.answers.flatMap(answer => refuseRaw(answer) ?? [])
    if (rest !== '') reasons.push(`half an answer: ${JSON.stringify(rest.slice(0, 100))}`)
    findings.push(...reasons.map(reason => `${reason} to ${JSON.stringify(sent)}`))
    answers += exchange.answers.length
    exchanges += 1
    if (exchanges % 100 === 0) progress({ doing: 'broken bytes', done: exchanges, of: broken })
  }
  const expectStatuses = async (sent: string, due: readonly number[]): Promise<void> => {
    const exchange = await exchangeRaw(port, sent, { answers: due.length, quietMs: LONGEST_WAIT_MS })
    note(exchange, sent)
    const statuses = exchange.answers.map(({ status }) => status).join()
    if (statuses !== due.join())
      findings.push(`${statuses} where ${due.join()} was due to ${JSON.stringify(sent)}`)
  }
  const send = async (): Promise<void> => {
    for (const [base, happened] of requests) {
      signal.throwIfAborted()
      const bytes = breakBytes(base, happened)
      note(await exchangeRaw(port, bytes, { quietMs: QUIET_MS }), bytes.toString('latin1'))
    }
  }
  try {
    for (const [sent, due] of CASES) await expectStatuses(sent, due)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, broken) }, send))
    await expectStatuses(GET, [200])
  } finally {
    await close()
  }
  const score = {
    test: 'broken bytes over raw sockets',
    reached: `${exchanges} connections, ${answers} answers, ${findings.length} findings`,
    target: `${broken}, none outside the table`,
    isMet: exchanges >= broken && findings.length === 0,
  }
  return { scores: [score], findings }
}

function post(headers: string, body: string): string {
  return `POST /execute HTTP/1.1\r\n${HOST}${headers}\r\n${body}`
}

/** Requests whose bytes are broken. */
const WHOLE = [
  GET,
  post(`${JSON_TYPE}Content-Length: 20\r\n`, '{"service_version":1}'),
  post(`${JSON_TYPE}PAYMENT-SIGNATURE: e30=\r\nTransfer-Encoding: chunked\r\n`, '2\r\n{}\r\n0\r\n\r\n'),
]

/**
 * Cases that random mutations are unlikely to produce, and the expected statuses, in order; others are in
 * `http/serve.test.ts` and the conformance suite.
 */
const CASES: readonly (readonly [sent: string, due: readonly number[]])[] = [
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  [post('Content-Length: +4\r\n', 'null'), [400]],
  [post('Content-Length: 99999999999999999999999\r\n', 'null'), [400]],
  [post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), [400]],
  [post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'), [400]],
  [`GET /health HTTP/1.1\r\nHost : x\r\n\r\n`, [400]],
  [`GET /health HTTP/1.1\r\n${HOST}X: a\x00b\r\n\r\n`, [400]],
  [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [404]],
  [`GET /health HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\nnull`, [200]],
  [post('Expect: 100-continue\r\nContent-Length: 2\r\n', '{}'), [402]],
  // A request hidden behind an empty body.
  [post('Content-Length: 0\r\n', GET), [402, 200]],
  [GET.repeat(20), Array.from({ length: 20 }, () => 200)],
]

/** The table of answers; bytes that never became a request have fewer headers. */
function refuseRaw(answer: ReadAnswer): string | undefined {
  const { status, headers, text } = answer
  const leak = findLeak(text, false)
  if (leak !== undefined) return leak
  if (status === 200 || status === 204 || text === '') return undefined
  if (headers.get('cache-control') !== 'no-store') return `${status} without no-store`
  return status < 500 ? refuseBody(answer) : `${status} is no status for this`
}

/** The data received on one connection. */
interface RawExchange {
  readonly answers: readonly ReadAnswer[]
  /** Bytes that are not a complete answer. */
  readonly rest: string
}

/**
 * Sends bytes unchanged (a text as Latin-1), and reads until the other side closes, until the expected number of
 * answers has arrived, or until nothing has arrived for a while.
 */
async function exchangeRaw(
  port: number,
  sent: string | Buffer,
  options: { readonly answers?: number; readonly quietMs: number },
): Promise<RawExchange> {
  const { answers: enough = Number.POSITIVE_INFINITY, quietMs } = options
  let received = ''
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1')
  socket.setTimeout(quietMs, () => socket.destroy())
  socket.write(typeof sent === 'string' ? Buffer.from(sent, 'latin1') : sent)
  try {
    for await (const text of socket) {
      received += String(text)
      if (readAnswers(received).answers.length >= enough) break
    }
  } catch {
    // It was reset, or closed above.
  }
  return readAnswers(received)
}

/** The answers in the received bytes, split by their lengths; interim ones are left out. */
function readAnswers(received: string): RawExchange {
  const answers: ReadAnswer[] = []
  let rest = received
  for (;;) {
    const [head = '', status, lines = ''] =
      /^HTTP\/1\.1 (\d{3})[^\r\n]*((?:\r\n[^\r\n]+)*)\r\n\r\n/.exec(rest) ?? []
    const headers = new Headers()
    for (const [, name = '', value = ''] of lines.matchAll(/\r\n([^:]+):(.*)/g)) headers.append(name, value)
    const end = head.length + Number(headers.get('content-length') ?? 0)
    if (head === '' || rest.length < end) return { answers, rest }
    const text = Buffer.from(rest.slice(head.length, end), 'latin1').toString('utf8')
    if (Number(status) >= 200) answers.push({ status: Number(status), headers, text })
    rest = rest.slice(end)
  }
}
