import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { describeReply, expectFailure, expectStatus, expectThat } from '../../exchange/expectations.ts'
import { exchangeRaw, rawRequest, sendRaw } from '../../check/raw-request.ts'
import type { Reply } from '../../exchange/send-request.ts'

const NEEDS_SOCKET = { ...NEEDS.nothing, socket: true }
const FIX =
  'Answer what is no request in the failure form too, and close the connection (clientError in Node). Where a proxy answers in your place, set its error pages.'

/**
 * Bytes that are not a valid request (HTTP-05). Each must lead to a documented response and a closed connection.
 */
const BROKEN: readonly (readonly [name: string, status: number, bytes: (host: string) => string])[] = [
  ['no HTTP at all', 400, () => 'hello\r\n\r\n'],
  ['an unknown method', 400, host => `BREW /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  ['a version nobody speaks', 400, host => `GET /health HTTP/7.7\r\nHost: ${host}\r\n\r\n`],
  ['no Host header', 400, () => 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['a header without a name', 400, host => `GET /health HTTP/1.1\r\nHost: ${host}\r\n: x\r\n\r\n`],
  [
    'Content-Length and Transfer-Encoding',
    400,
    host =>
      `POST /execute HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'two lengths',
    400,
    host => `POST /execute HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  ],
  ['a negative length', 400, host => `POST /execute HTTP/1.1\r\nHost: ${host}\r\nContent-Length: -1\r\n\r\n`],
  [
    'a broken chunk',
    400,
    host => `POST /execute HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ],
  [
    'headers of 20 KB',
    431,
    host => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
  ],
]

/** Requests that `fetch` does not send. */
export const TRANSPORT_CHECKS: readonly Check[] = [
  ...BROKEN.map(([name, status, bytes]): Check => ({
    id: `transport/${name}`,
    rules: ['D15', 'HTTP-05'],
    title: `A request with ${name} is answered ${status}, in the failure form`,
    fix: FIX,
    needs: NEEDS_SOCKET,
    async run(context) {
      expectFailure(await sendRaw(context, bytes(new URL(context.baseUrl).host)), status, 'validation')
    },
  })),
  {
    id: 'transport/expect',
    rules: ['D15', 'HTTP-05'],
    title: 'An expectation nobody can meet is refused in the failure form',
    fix: 'Answer 4xx with the failure body (checkExpectation in Node).',
    needs: NEEDS_SOCKET,
    async run(context) {
      const reply = await raw(context, 'GET /health HTTP/1.1', ['Expect: miracles', 'Connection: close'])
      expectThat(reply.status >= 400 && reply.status < 500, 'a status of 4xx', describeReply(reply))
      expectFailure(reply, reply.status, 'validation')
    },
  },
  {
    id: 'transport/absolute form',
    rules: ['HTTP-01'],
    title: 'A request target in absolute form is answered like any other, never by an accident',
    fix: 'Route by the path, or answer 404.',
    needs: NEEDS_SOCKET,
    async run(context) {
      const reply = await raw(context, `GET ${context.baseUrl}/health HTTP/1.1`, ['Connection: close'])
      if (reply.status !== 200) expectFailure(reply, 404, 'validation')
    },
  },
  {
    id: 'transport/TRACE',
    rules: ['D15'],
    title: 'TRACE is answered 405',
    fix: 'Answer 405 for every method but those of the route.',
    needs: NEEDS_SOCKET,
    async run(context) {
      expectFailure(await raw(context, 'TRACE /health HTTP/1.1', ['Connection: close']), 405, 'validation')
    },
  },
  {
    id: 'transport/CONNECT',
    rules: ['D15', 'HTTP-05'],
    title: 'CONNECT is refused in the failure form',
    fix: 'Answer 4xx: an agent is no proxy (the connect event in Node).',
    needs: NEEDS_SOCKET,
    async run(context) {
      const reply = await raw(context, 'CONNECT health.example:443 HTTP/1.1', [])
      expectThat([400, 404, 405].includes(reply.status), 'status 405', describeReply(reply))
      expectFailure(reply, reply.status, 'validation')
    },
  },
  {
    id: 'transport/upgrade',
    rules: ['HTTP-05'],
    title: 'A wish to upgrade the connection is not taken, the request is answered',
    fix: 'Answer the request as if the Upgrade header were not there (RFC 9110, 7.8).',
    needs: NEEDS_SOCKET,
    async run(context) {
      expectStatus(
        await raw(context, 'GET /health HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket']),
        200,
      )
    },
  },
  {
    id: 'transport/prototype header',
    rules: ['HTTP-06'],
    title: 'A header called __proto__ does no harm',
    fix: 'Run a patched Node (CVE-2026-21710), and keep headers out of plain objects.',
    needs: NEEDS_SOCKET,
    async run(context) {
      expectStatus(await raw(context, 'GET /health HTTP/1.1', ['__proto__: x', 'Connection: close']), 200)
    },
  },
  {
    id: 'transport/endless chunks',
    rules: ['D15', 'VAL-05'],
    title: 'A chunked body over 1 MiB is refused before it ends',
    fix: 'Count what came, not what Content-Length says.',
    needs: NEEDS_SOCKET,
    async run(context) {
      const chunk = `10000\r\n${' '.repeat(0x1_0000)}\r\n`
      const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
      const chunks = Math.ceil(MAX_BODY_BYTES / 0x1_0000) + 1
      expectFailure(
        await raw(context, 'POST /execute HTTP/1.1', headers, chunk.repeat(chunks)),
        400,
        'validation',
        /^body: /,
      )
    },
  },
  {
    id: 'transport/announced too large',
    rules: ['D15', 'VAL-05'],
    title: 'A body announced as over 1 MiB is refused before it comes',
    fix: 'Compare Content-Length with the limit first.',
    needs: NEEDS_SOCKET,
    async run(context) {
      const headers = ['Content-Type: application/json', `Content-Length: ${MAX_BODY_BYTES + 1}`]
      expectFailure(await raw(context, 'POST /execute HTTP/1.1', headers), 400, 'validation', /^body: /)
    },
  },
  {
    id: 'transport/keep-alive',
    rules: ['HTTP-08'],
    title: 'Two requests on one connection are answered in turn',
    fix: 'Leave the connection open after an ordinary answer.',
    needs: NEEDS_SOCKET,
    async run(context) {
      const line = rawRequest(context.baseUrl, { line: `GET ${pathOf(context)}/health HTTP/1.1` })
      const text = await exchangeRaw(context, line + line, so => so.split('"status":"ok"').length === 3)
      expectThat(text.split('HTTP/1.1 200').length === 3, 'two answers', text.slice(0, 120))
    },
  },
  {
    id: 'transport/alive',
    rules: ['HTTP-05', 'OPS-06'],
    title: 'After all of that the agent is in good health',
    fix: 'Catch what a connection can throw; one caller must not end the process.',
    needs: NEEDS.nothing,
    run: async context => expectStatus(await context.send({ method: 'GET', path: '/health' }), 200),
  },
]

async function raw(
  context: CheckContext,
  line: string,
  headers: readonly string[],
  body = '',
): Promise<Reply> {
  const placed = line.replace(/^(\w+) \//, `$1 ${pathOf(context)}/`)
  return await sendRaw(context, rawRequest(context.baseUrl, { line: placed, headers, body }))
}

/** The path of the base URL before the routes; empty for most agents. */
function pathOf(context: CheckContext): string {
  return new URL(context.baseUrl).pathname.replace(/\/$/, '')
}
