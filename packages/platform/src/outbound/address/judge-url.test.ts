import { describe, expect, test } from 'vitest'
import { HOSTILE_URLS } from '../../test-setup/network/hostile-urls.ts'
import { judgeBaseUrl, judgeTarget } from './judge-url.ts'

const canonical: readonly (readonly [string, string])[] = [
  ['https://agents.example', 'https://agents.example'],
  ['https://agents.example/', 'https://agents.example'],
  ['HTTPS://Agents.EXAMPLE/', 'https://agents.example'],
  ['https://agents.example:443/', 'https://agents.example'],
  ['https://agents.example:0443', 'https://agents.example'],
  ['https://agents.example:', 'https://agents.example'],
  ['https://agents.example./', 'https://agents.example'],
  ['https://agents.example.:443//', 'https://agents.example'],
  ['https://agents.example:8443/', 'https://agents.example:8443'],
  ['https://agents.example:08443', 'https://agents.example:8443'],
  ['https://agents.example/alice/', 'https://agents.example/alice'],
  ['https://agents.example/Alice', 'https://agents.example/Alice'],
  ['https://agents.example/x/../alice/./', 'https://agents.example/alice'],
  ['https://agents.example/%61lice', 'https://agents.example/alice'],
  ['https://agents.example/%7ealice', 'https://agents.example/~alice'],
  ['https://agents.example/b%c3%bccher', 'https://agents.example/b%C3%BCcher'],
  ['https://agents.example/bücher', 'https://agents.example/b%C3%BCcher'],
  ['https://bücher.example.com', 'https://xn--bcher-kva.example.com'],
  ['https://BÜCHER.example.com', 'https://xn--bcher-kva.example.com'],
  ['https://xn--bcher-kva.example.com', 'https://xn--bcher-kva.example.com'],
  ['https://ａｇｅｎｔｓ.example', 'https://agents.example'],
  ['https://agents。example', 'https://agents.example'],
  // A homograph is another name, and its canonical form shows it.
  ['https://аgents.example', 'https://xn--gents-3ve.example'],
]

describe('REG-03 each agent URL has one canonical form', () => {
  test.each(canonical)('%s is %s', (url, expected) => {
    expect(judgeBaseUrl(url, { localMode: false })).toEqual({ ok: true, url: expected })
    expect(judgeBaseUrl(expected, { localMode: false })).toEqual({ ok: true, url: expected })
  })

  test.each([
    ['https://agents.example/?', 'url: must not have a query'],
    ['https://agents.example/?a=1', 'url: must not have a query'],
    ['https://agents.example/#', 'url: must not have a fragment'],
    ['https://agents.example//alice', 'path: must not have an empty segment'],
    ['https://agents.example/a%2Fb', 'path: must not hide a separator or a control'],
    ['https://agents.example/a%5cb', 'path: must not hide a separator or a control'],
    ['https://agents.example/a%0d%0ab', 'path: must not hide a separator or a control'],
    ['https://agents.example/a%252fb', 'path: must not hide a separator or a control'],
    ['http://agents.example', 'scheme: must be https'],
    ['https://agents.example:22', 'port: must be 443 or at least 1024, got 22'],
    ['https://agents.example:6379', 'port: 6379 belongs to another service'],
    ['https://8.8.8.8', 'host: must be a name, not an IP address'],
    ['https://printer.local', 'host: names that end in .local are not public'],
  ])('%s is refused: %s', (url, reason) => {
    expect(judgeBaseUrl(url, { localMode: false })).toEqual({ ok: false, reason })
  })
})

describe('a URL that is short in its given form', () => {
  const at = (path: string): string => `https://agents.example/${path}`

  test('is refused when its escaped form is longer than 2,048 characters', () => {
    expect(judgeBaseUrl(at('字'.repeat(670)), { localMode: false })).toEqual({
      ok: false,
      reason: 'url: must have at most 2048 characters once its path is escaped, got 6053',
    })
    expect(judgeBaseUrl(at('字'.repeat(226)), { localMode: false })).toMatchObject({ ok: false })
  })

  test('is accepted up to this length, and so is its canonical form', () => {
    const longest = at('字'.repeat(225))
    expect(judgeBaseUrl(longest, { localMode: false })).toMatchObject({ ok: true })
    const plain = at('a'.repeat(2_048 - at('').length))
    expect(judgeBaseUrl(plain, { localMode: false })).toEqual({ ok: true, url: plain })
    expect(judgeBaseUrl(`${plain}a`, { localMode: false })).toMatchObject({ ok: false })
  })
})

describe('SSRF-01 URLs refused by their spelling', () => {
  test.each(HOSTILE_URLS)('%s (%s)', written => {
    const url = written.replace('PORT', '8443')
    expect(judgeTarget(url, { localMode: false })).toMatchObject({ ok: false })
    expect(judgeBaseUrl(url, { localMode: false })).toMatchObject({ ok: false })
  })

  test('the corpus has more than the sixty required forms, and no duplicates', () => {
    expect(new Set(HOSTILE_URLS.map(([url]) => url)).size).toBe(HOSTILE_URLS.length)
    expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(100)
  })
})

describe('SSRF-07 a name whose owner opted out of calls', () => {
  const shunned = ['victim.example']

  test.each(['https://victim.example', 'https://VICTIM.example./a', 'https://www.victim.example:8443'])(
    '%s is refused with the reason',
    url => {
      const refused = { ok: false, reason: 'host: its owner wants no calls from this platform' }
      expect([
        judgeTarget(url, { localMode: false, shunned }),
        judgeBaseUrl(url, { localMode: false, shunned }),
      ]).toEqual([refused, refused])
    },
  )

  test.each([
    'https://notvictim.example',
    'https://victim.example.org',
    'https://example.org/victim.example',
  ])('%s is another name', url => {
    expect(judgeBaseUrl(url, { localMode: false, shunned })).toMatchObject({ ok: true })
  })
})

describe('D37 the local mode', () => {
  test.each([
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['http://LOCALHOST.:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000/alice', 'http://[::1]:3000/alice'],
    ['https://localhost:8443', 'https://localhost:8443'],
    ['https://agents.example', 'https://agents.example'],
  ])('accepts %s', (url, expected) => {
    expect(judgeBaseUrl(url, { localMode: true })).toEqual({ ok: true, url: expected })
  })

  test.each([
    'http://agents.example',
    'http://10.0.0.1:3000',
    'http://0.0.0.0:3000',
    'http://[::]:3000',
    'http://[fe80::1]:3000',
    'http://169.254.169.254',
    'http://192.168.1.1:3000',
    'http://8.8.8.8:3000',
    'https://8.8.8.8',
    'http://intranet:3000',
    'http://localhost',
    'http://localhost:22',
    'http://localhost:5432',
    'http://user@localhost:3000',
    'ws://localhost:3000',
    'file:///etc/passwd',
  ])('still refuses %s', url => {
    expect(judgeBaseUrl(url, { localMode: true })).toMatchObject({ ok: false })
  })
})
