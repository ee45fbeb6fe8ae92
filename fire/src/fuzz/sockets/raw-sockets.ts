import fc from 'fast-check'
import { accidents, breakBytes } from '../generate/accidents.ts'
import { readObject, type ReadAnswer } from '../oracle/answer-table.ts'
import { findLeak } from '../oracle/foresee.ts'
import { CUT_REQUESTS, post, RAW_CASES } from './raw-cases.ts'
import { exchangeRaw, type RawExchange } from './raw-exchange.ts'

export interface RawFuzzOptions {
  readonly seed: number
  /** Requests with broken bytes, beside the cases. */
  readonly broken: number
  readonly signal?: AbortSignal
  readonly onDone?: (exchanges: number) => void
}

export interface RawFuzzOutcome {
  /** Connections that were opened. */
  readonly exchanges: number
  readonly answers: number
  /** What was wrong, in words. */
  readonly wrong: readonly string[]
}

/** An answer that is due is waited for so long: no machine is that slow. */
const LONGEST_WAIT_MS = 30_000

/** Sends every case, and so many requests with broken bytes. */
export async function fuzzSockets(port: number, options: RawFuzzOptions): Promise<RawFuzzOutcome> {
  const wrong: string[] = []
  let answers = 0
  for (const [name, { pieces, due, closes }] of Object.entries(RAW_CASES)) {
    const exchange = await exchangeRaw(port, pieces, {
      ...(due.length > 0 && { quietMs: LONGEST_WAIT_MS }),
      ...(closes !== true && { answers: Math.max(1, due.length) }),
    })
    answers += exchange.answers.length
    const statuses = exchange.answers.map(({ status }) => status)
    if (String(statuses) !== String(due))
      wrong.push(`${name}: answered ${String(statuses)} where ${String(due)} was due`)
    if (closes === true && !exchange.isClosed) wrong.push(`${name}: the connection stayed open`)
    wrong.push(
      ...exchange.answers.flatMap(answer => refuseRaw(answer) ?? []).map(reason => `${name}: ${reason}`),
    )
  }
  for (const text of CUT_REQUESTS) await exchangeRaw(port, [text], { cut: true, quietMs: 100 })
  const broken = await fuzzBytes(port, options)
  wrong.push(...broken.wrong)
  const health = await exchangeRaw(port, ['GET /health HTTP/1.1\r\nHost: x\r\n\r\n'], {
    answers: 1,
    quietMs: LONGEST_WAIT_MS,
  })
  if (health.answers[0]?.status !== 200) wrong.push('the agent is not well after it all')
  const cases = Object.keys(RAW_CASES).length + CUT_REQUESTS.length + 1
  return { exchanges: cases + broken.exchanges, answers: answers + broken.answers, wrong }
}

/** So many connections at once: most wait, because what is broken is often not finished. */
const AT_ONCE = 250

/** Whole requests with accidents in their bytes, many at once. */
async function fuzzBytes(
  port: number,
  { seed, broken, signal, onDone = () => undefined }: RawFuzzOptions,
): Promise<RawFuzzOutcome> {
  const bases = [
    'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
    post('Content-Type: application/json\r\nContent-Length: 20\r\n', '{"service_version":1}'),
    post(
      'Content-Type: application/json\r\nPAYMENT-SIGNATURE: e30=\r\nTransfer-Encoding: chunked\r\n',
      '2\r\n{}\r\n0\r\n\r\n',
    ),
  ]
  const requests = fc
    .sample(fc.tuple(fc.constantFrom(...bases), accidents), { seed, numRuns: broken })
    .values()
  const wrong: string[] = []
  let [exchanges, answers] = [0, 0]
  const exchange = async (): Promise<void> => {
    for (const [base, happened] of requests) {
      signal?.throwIfAborted()
      const bytes = breakBytes(base, happened)
      const came = await exchangeRaw(port, [bytes], { quietMs: 250 })
      wrong.push(
        ...refuseExchange(came).map(reason => `${reason} to ${JSON.stringify(bytes.toString('latin1'))}`),
      )
      answers += came.answers.length
      exchanges += 1
      if (exchanges % 500 === 0) onDone(exchanges)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, broken) }, exchange))
  return { exchanges, answers, wrong }
}

function refuseExchange({ answers, rest }: RawExchange): readonly string[] {
  const half = rest === '' ? [] : [`half an answer: ${JSON.stringify(rest.slice(0, 100))}`]
  return [...half, ...answers.flatMap(answer => refuseRaw(answer) ?? [])]
}

const STATUSES: ReadonlySet<number> = new Set([200, 204, 400, 402, 404, 405, 408, 431])

/** As the table of answers; what never became a request has fewer headers. */
function refuseRaw({ status, headers, text }: ReadAnswer): string | undefined {
  if (!STATUSES.has(status)) return `${status} is no status for this`
  const leak = findLeak(text, false)
  if (leak !== undefined) return leak
  if (status === 200 || status === 204 || text === '') return undefined
  const body = readObject(text)
  if (body === undefined) return `${status} with a body that is not a JSON object`
  if (headers.get('cache-control') !== 'no-store') return `${status} without no-store`
  if ('accepts' in body) return undefined
  return body['status'] === 'failed' && typeof body['error'] === 'string'
    ? undefined
    : `${status} with ${text.slice(0, 100)}`
}
