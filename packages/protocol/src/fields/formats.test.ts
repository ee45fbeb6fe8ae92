import { describe, expect, test } from 'vitest'
import { FORMAT_EXAMPLES, FORMATS, isFormat, matchesFormat, type Format } from './formats.ts'
import { growth, LINEAR } from '../test-setup/cpu-ratio.ts'

const ACCEPTED: { readonly [format in Format]: readonly string[] } = {
  'date-time': ['2026-01-31T12:00:00Z', '2024-02-29t23:59:60z', '1998-12-31T15:59:60.123-08:00'],
  date: ['2024-02-29', '2000-02-29', '0001-01-01', '2026-12-31'],
  time: ['00:00:00Z', '23:59:59.999999+23:59', '08:30:06-08:00', '23:59:60Z', '01:29:60+01:30'],
  email: ['a@b', 'first.last+tag@example.org', "o'brien@example.co.uk", `${'a'.repeat(64)}@example.org`],
  uri: [
    'https://example.org',
    'https://user:pw@example.org:8080/a%20b?c=d#e',
    'http://[2001:db8::1]:80/',
    'urn:isbn:0451450523',
    'mailto:a@example.org',
    'data:,x',
    'file:///etc/hosts',
  ],
  uuid: [
    '123e4567-e89b-42d3-a456-426614174000',
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  ],
  ipv4: ['0.0.0.0', '255.255.255.255', '192.0.2.1'],
  ipv6: ['::', '::1', '2001:db8::', '1:2:3:4:5:6:7:8', '::ffff:192.0.2.1', '1:2:3:4:5:6:1.2.3.4', '1::8'],
  hostname: ['a', 'example.org', 'xn--bcher-kva.example', '1.2.3.4', `${'a'.repeat(63)}.org`],
}

const REFUSED: { readonly [format in Format]: readonly string[] } = {
  'date-time': [
    '2026-01-31',
    '2026-01-31 12:00:00Z',
    '2026-01-31T12:00:00',
    '2026-02-30T12:00:00Z',
    '2026-01-31T12:00:60Z',
  ],
  date: [
    '2023-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-04-31',
    '26-01-01',
    '2026-1-1',
    '٢٠٢٦-01-01',
  ],
  time: [
    '24:00:00Z',
    '12:60:00Z',
    '12:00:61Z',
    '22:59:60Z',
    '12:00:00',
    '12:00Z',
    '12:00:00.Z',
    '12:00:00+24:00',
  ],
  email: [
    '',
    '@',
    'a@',
    '@b',
    'a b@c',
    '.a@b',
    'a.@b',
    'a..b@c',
    'a@-b',
    'a@b..c',
    `${'a'.repeat(65)}@b`,
    'ä@example.org',
  ],
  uri: [
    '',
    'example.org',
    '//example.org',
    '/a',
    'https://',
    'http:/a',
    'https:',
    'ht tp://a',
    'https://a b',
    'a:%zz',
    'a:#x#y',
    'https://a[b]',
    'https://[::1',
    'https://a:b:c',
    'https://[zz]/',
    'a:b\\c',
    'javascript',
    '1a:b',
  ],
  uuid: [
    '',
    '123e4567e89b42d3a456426614174000',
    '123e4567-e89b-42d3-a456-42661417400g',
    '{123e4567-e89b-42d3-a456-426614174000}',
  ],
  ipv4: ['1.2.3', '1.2.3.4.5', '256.0.0.1', '01.2.3.4', '1.2.3.4 ', '0x1.2.3.4', '127.1', ''],
  ipv6: [
    '',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    '12345::',
    'g::',
    '::1%eth0',
    '1.2.3.4',
    '::1.2.3',
    '1.2.3.4::',
    ':1:2:3:4:5:6:7:8',
  ],
  hostname: [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '-a',
    'a-',
    'a_b',
    'bücher.example',
    `${'a'.repeat(64)}.org`,
    `${'a.'.repeat(127)}a`,
  ],
}

describe.each(FORMATS)('D18 %s', format => {
  test('the example has the format', () => {
    expect(matchesFormat(FORMAT_EXAMPLES[format], format)).toBe(true)
  })

  test.each(ACCEPTED[format])('accepts %j', text => {
    expect(matchesFormat(text, format)).toBe(true)
  })

  test.each(REFUSED[format])('refuses %j', text => {
    expect(matchesFormat(text, format)).toBe(false)
    expect(matchesFormat(`${text}\n`, format)).toBe(false)
  })

  test('takes time proportional to the length of any text', () => {
    const texts = ['a', '1', ':', '.', '-', '@', 'a.', '%', '[', '#', 'a:', '0:', '/', '2026-01-31T12:00:00.']
    const matchAll = (length: number): void => {
      for (const text of texts) matchesFormat(text.repeat(length / text.length), format)
      for (const start of ['a:', 'https://', 'a@', '12:00:00.'])
        matchesFormat(start + '1'.repeat(length), format)
    }
    expect(growth(matchAll, 250_000)).toBeLessThan(LINEAR)
  })
})

test('names that are not formats', () => {
  for (const name of ['', 'toString', '__proto__', 'regex', 'Email']) expect(isFormat(name)).toBe(false)
})
