import { createRandom } from '../../simulator/seeded-random.ts'
import { breakBytes } from '../generate/break-bytes.ts'
import { readObject, type ReadAnswer } from '../oracle/answer-table.ts'
import { findLeak } from '../oracle/foresee.ts'
import { CUT_REQUESTS, post, RAW_CASES } from './raw-cases.ts'
import { exchangeRaw } from './raw-exchange.ts'

/** Sends every case, and so many requests with broken bytes. Returns what was wrong, in words. */
export async function fuzzSockets(
  port: number,
  options: { readonly seed: number; readonly broken: number },
): Promise<string[]> {
  const wrong: string[] = []
  for (const [name, { pieces, due, closes }] of Object.entries(RAW_CASES)) {
    const exchange = await exchangeRaw(
      port,
      pieces,
      closes === true ? {} : { answers: Math.max(1, due.length) },
    )
    const statuses = exchange.answers.map(({ status }) => status)
    if (String(statuses) !== String(due))
      wrong.push(`${name}: answered ${String(statuses)} where ${String(due)} was due`)
    if (closes === true && !exchange.isClosed) wrong.push(`${name}: the connection stayed open`)
    wrong.push(
      ...exchange.answers.flatMap(answer => refuseRaw(answer) ?? []).map(reason => `${name}: ${reason}`),
    )
  }
  for (const text of CUT_REQUESTS) await exchangeRaw(port, [text], { cut: true, quietMs: 100 })
  wrong.push(...(await fuzzBytes(port, options)))
  const health = await exchangeRaw(port, ['GET /health HTTP/1.1\r\nHost: x\r\n\r\n'], { answers: 1 })
  if (health.answers[0]?.status !== 200) wrong.push('the agent is not well after it all')
  return wrong
}

/** Whole requests with accidents in their bytes, many at once. */
async function fuzzBytes(
  port: number,
  { seed, broken }: { readonly seed: number; readonly broken: number },
): Promise<string[]> {
  const random = createRandom(seed).fork('sockets')
  const bases = [
    'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
    post('Content-Type: application/json\r\nContent-Length: 20\r\n', '{"service_version":1}'),
    post(
      'Content-Type: application/json\r\nPAYMENT-SIGNATURE: e30=\r\nTransfer-Encoding: chunked\r\n',
      '2\r\n{}\r\n0\r\n\r\n',
    ),
  ]
  const wrong: string[] = []
  for (let left = broken; left > 0; left -= 50) {
    const batch = Array.from({ length: Math.min(50, left) }, () => breakBytes(random, random.pick(bases)))
    const exchanges = await Promise.all(batch.map(bytes => exchangeRaw(port, [bytes], { quietMs: 150 })))
    exchanges.forEach(({ answers, rest }, index) => {
      const bytes = JSON.stringify(batch[index]?.toString('latin1'))
      if (rest !== '') wrong.push(`half an answer: ${JSON.stringify(rest.slice(0, 100))} to ${bytes}`)
      for (const answer of answers) {
        const reason = refuseRaw(answer)
        if (reason !== undefined) wrong.push(`${reason} to ${bytes}`)
      }
    })
  }
  return wrong
}

const STATUSES: ReadonlySet<number> = new Set([200, 204, 400, 402, 404, 405, 408, 431])

/** As the table of answers; what never became a request has fewer headers. */
function refuseRaw({ status, headers, text }: ReadAnswer): string | undefined {
  if (!STATUSES.has(status)) return `${status} is no status for this`
  const leak = findLeak(text, false)
  if (leak !== undefined) return leak
  if (status === 200 || status === 204 || text === '') return undefined
  const body = readObject(text)
  if (body === undefined) return `${status} with a body that is no JSON object`
  if (headers.get('cache-control') !== 'no-store') return `${status} without no-store`
  if ('accepts' in body) return undefined
  return body['status'] === 'failed' && typeof body['error'] === 'string'
    ? undefined
    : `${status} with ${text.slice(0, 100)}`
}
