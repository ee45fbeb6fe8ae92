/** What `fetch` cannot say: bytes on a connection, and the statuses they must be answered with, in order. */
export interface RawCase {
  readonly pieces: readonly string[]
  /** Statuses due; empty: nothing is answered. */
  readonly due: readonly number[]
  /** The connection is over after it. */
  readonly closes?: boolean
}

const HOST = 'Host: agent.test\r\n'
const GET = `GET /health HTTP/1.1\r\n${HOST}\r\n`

/** Cases by name; every answer but a 200's must be a failure in our form. */
export const RAW_CASES: { readonly [name: string]: RawCase } = {
  'no HTTP at all': closed(400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  'a request line without version': closed(400, 'GET /health\r\n\r\n'),
  'an HTTP/2 preface': closed(400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'HTTP/3.7': closed(400, `GET /health HTTP/3.7\r\n${HOST}\r\n`),
  'no Host': closed(400, 'GET /health HTTP/1.1\r\n\r\n'),
  'both lengths': closed(400, post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')),
  'two lengths': closed(400, post('Content-Length: 4\r\nContent-Length: 5\r\n', 'null1')),
  'a signed length': closed(400, post('Content-Length: +4\r\n', 'null')),
  'a negative length': closed(400, post('Content-Length: -4\r\n', 'null')),
  'an endless length': closed(400, post('Content-Length: 99999999999999999999999\r\n', 'null')),
  'a length over the limit': closed(400, post('Content-Length: 1048577\r\n', 'null')),
  'a coding nobody knows': closed(400, post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')),
  'chunked not last': closed(400, post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')),
  'a chunk size that is none': closed(400, post('Transfer-Encoding: chunked\r\n', 'zz\r\nnull\r\n0\r\n\r\n')),
  'a blank before the colon': closed(400, `GET /health HTTP/1.1\r\nHost : x\r\n\r\n`),
  'a NUL in a header': closed(400, `GET /health HTTP/1.1\r\n${HOST}X: a\x00b\r\n\r\n`),
  'headers without end': closed(431, `GET /health HTTP/1.1\r\n${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`),
  'a path without end': closed(431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`),
  CONNECT: closed(405, `CONNECT evil.test:443 HTTP/1.1\r\n${HOST}\r\n`),
  TRACE: { pieces: [`TRACE /health HTTP/1.1\r\n${HOST}\r\n`], due: [405] },
  'the absolute form': { pieces: [`GET http://agent.test/health HTTP/1.1\r\n${HOST}\r\n`], due: [404] },
  'an asterisk': { pieces: [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`], due: [404] },
  'another expectation': closed(400, post('Expect: a-pony\r\nContent-Length: 2\r\n', '{}')),
  'an expected continue': {
    pieces: [post('Expect: 100-continue\r\nContent-Length: 2\r\n', '{}')],
    due: [402],
  },
  'an upgrade': {
    pieces: [`GET /health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    due: [200],
  },
  'a body on GET': { pieces: [`GET /health HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\nnull`], due: [200] },
  'HTTP/1.0': closed(200, 'GET /health HTTP/1.0\r\nHost: x\r\n\r\n'),
  'twenty in a row': { pieces: [GET.repeat(20)], due: Array.from({ length: 20 }, () => 200) },
  'a row of different ones': {
    pieces: [GET + post('Content-Length: 2\r\n', '{}') + `GET /nowhere HTTP/1.1\r\n${HOST}\r\n` + GET],
    due: [200, 402, 404, 200],
  },
  'one hidden behind an empty body': {
    pieces: [post('Content-Length: 0\r\n', `GET /about HTTP/1.1\r\n${HOST}\r\n`)],
    due: [402, 200],
  },
  'a byte at a time': { pieces: [...GET], due: [200] },
  'two payments, by socket': {
    pieces: [
      post(
        'Content-Type: application/json\r\nPAYMENT-SIGNATURE: e30=\r\npayment-signature: e30=\r\nContent-Length: 2\r\n',
        '{}',
      ),
    ],
    due: [400],
  },
  'nothing at all': { pieces: ['\r\n\r\n'], due: [] },
}

/** Requests that stop in the middle, each at another place; nobody is there to be answered. */
export const CUT_REQUESTS: readonly string[] = [
  '',
  'G',
  'GET /health HTTP/1.1\r\nHo',
  post('Content-Length: 100\r\n', '{"service_'),
  post('Transfer-Encoding: chunked\r\n', '5\r\n{"ser'),
]

/** A request that is answered once, and whose connection is then closed. */
function closed(status: number, request: string): RawCase {
  return { pieces: [request], due: [status], closes: true }
}

export function post(headers: string, body: string): string {
  return `POST /execute HTTP/1.1\r\n${HOST}${headers}\r\n${body}`
}
