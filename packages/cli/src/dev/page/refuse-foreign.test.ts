import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { refuseForeignPage } from './refuse-foreign.ts'

const PORT = 5170
const JSON_TYPE = { 'content-type': 'application/json' }

function statusOf(method: string, headers: IncomingHttpHeaders): number | undefined {
  return refuseForeignPage({ method, headers: { host: `127.0.0.1:${PORT}`, ...headers } }, PORT)?.status
}

describe('a request is refused', () => {
  test.each([
    'evil.example',
    `evil.example:${PORT}`,
    '127.0.0.1',
    '127.0.0.1:80',
    `localhost.evil.example:${PORT}`,
    '',
  ])('under a foreign host name (DNS rebinding): %j', host => {
    expect(statusOf('GET', { host })).toBe(421)
  })

  test('without a host name', () => {
    expect(refuseForeignPage({ method: 'GET', headers: {} }, PORT)?.status).toBe(421)
  })

  test.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1:3000',
    `http://localhost:${PORT}`,
    `https://127.0.0.1:${PORT}`,
  ])('from another page, also on another port of this machine: %s', origin => {
    expect(statusOf('POST', { origin, ...JSON_TYPE })).toBe(403)
    expect(statusOf('GET', { origin })).toBe(403)
  })

  test.each(['cross-site', 'same-site', 'anything'])('that a browser marks as %s', site => {
    expect(statusOf('GET', { 'sec-fetch-site': site })).toBe(403)
    expect(
      statusOf('GET', { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }),
    ).toBe(403)
    expect(
      statusOf('POST', {
        'sec-fetch-site': site,
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      }),
    ).toBe(403)
  })

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'with a body that a form of another page can send: %s',
    type => {
      expect(statusOf('POST', type === undefined ? {} : { 'content-type': type })).toBe(415)
    },
  )

  test('with an unsupported method', () => {
    expect(statusOf('OPTIONS', {})).toBe(405)
    expect(statusOf('PUT', JSON_TYPE)).toBe(405)
  })
})

describe('a request is answered', () => {
  test.each([`127.0.0.1:${PORT}`, `localhost:${PORT}`, `LOCALHOST:${PORT}`, `[::1]:${PORT}`])(
    'under %s',
    host => {
      expect(statusOf('GET', { host })).toBeUndefined()
      expect(statusOf('POST', { host, origin: `http://${host.toLowerCase()}`, ...JSON_TYPE })).toBeUndefined()
    },
  )

  test('from the page itself, from a program, and from a link on another site', () => {
    expect(statusOf('POST', { 'sec-fetch-site': 'same-origin', ...JSON_TYPE })).toBeUndefined()
    expect(statusOf('POST', { 'content-type': 'application/json; charset=utf-8' })).toBeUndefined()
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect(statusOf('GET', link)).toBeUndefined()
  })
})
