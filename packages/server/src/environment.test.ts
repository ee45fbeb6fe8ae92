import { describe, expect, test } from 'vitest'
import { readDrainSeconds } from './drain.ts'
import {
  EnvironmentError,
  readCount,
  readKey,
  readKeys,
  readPort,
  readTogether,
  variablesOf,
} from './environment.ts'

const source = (variables: { readonly [name: string]: string }) => ({ variables, readFile: () => '' })

test('D32 DRAIN_SECONDS is 0 to 15 whole seconds', () => {
  const drain = (value: string): number => readDrainSeconds(variablesOf(source({ DRAIN_SECONDS: value })))
  expect([drain(''), drain('0'), drain('15')]).toEqual([0, 0, 15])
  for (const wrong of ['16', '-1', '1.5', '5s'])
    expect(() => drain(wrong)).toThrow(
      `DRAIN_SECONDS must be a whole number of seconds, 0 to 15, got "${wrong}"`,
    )
})

describe('an environment read together', () => {
  test('every invalid variable is named at once, each once', () => {
    const read = variablesOf(source({ PORT: 'x', COUNT: '0' }))
    const port = (): number | undefined => readPort('PORT', read)
    const inner = () => readTogether({ port, count: () => readCount('COUNT', read) })
    expect(() => readTogether({ port, inner })).toThrow(
      expect.objectContaining({
        problems: [
          'PORT must be a port, 0 to 65535, got "x"',
          'COUNT must be a whole number, 1 to 999999999, got "0"',
        ],
      }),
    )
  })

  test('valid variables are returned under their names', () => {
    const read = variablesOf(source({ PORT: '80' }))
    expect(readTogether({ port: () => readPort('PORT', read), none: () => read('NONE') })).toEqual({
      port: 80,
      none: undefined,
    })
  })

  test('a bug of the program is not reported as an error of the operator', () => {
    const parts = {
      broken: (): never => {
        throw new TypeError('no')
      },
    }
    expect(() => readTogether(parts)).toThrow(TypeError)
  })

  test('a variable without help cannot be read', () => {
    const read = variablesOf(source({}), { KNOWN: { meaning: 'known' } })
    expect(read('KNOWN')).toBeUndefined()
    expect(() => read('FORGOTTEN')).toThrow('FORGOTTEN is read and not described')
    expect(() => read('FORGOTTEN')).not.toThrow(EnvironmentError)
  })
})

describe('several keys', () => {
  const [one, other] = [`0x${'1'.repeat(64)}`, `0x${'a'.repeat(64)}`]
  const readFrom = (text: string): readonly string[] | undefined =>
    readKeys('KEY', { variables: { KEY_FILE: '/run/keys' }, readFile: () => text })

  test('commas or new lines separate them, and a single one is a list too', () => {
    expect(readKeys('KEY', source({ KEY: `${one}, ${other}` }))).toEqual([one, other])
    expect(readFrom(`${one}\n${other}\n`)).toEqual([one, other])
    expect(readKeys('KEY', source({ KEY: one }))).toEqual([one])
    expect(readKeys('KEY', source({}))).toBeUndefined()
  })

  test.each([
    ['one that is no key', `${one},0x12`, 'KEY_FILE: key 2 of 2 is not 0x and 64 hex digits'],
    ['a single one that is no key', '0x12', 'KEY_FILE: the key is not 0x and 64 hex digits'],
    ['none', ' , ', 'KEY_FILE holds no key: a key is 0x and 64 hex digits'],
    [
      'one twice, however it is written',
      `${other},0x${'A'.repeat(64)}`,
      'KEY_FILE: keys 1 and 2 are the same',
    ],
  ])('%s is refused, and no key is shown', (_, text, message) => {
    expect(() => readFrom(text)).toThrow(message)
    expect(() => readFrom(text)).not.toThrow(one)
  })
})

describe('a key in a file', () => {
  const readFrom = (code: string) =>
    readKey('KEY', {
      variables: { KEY_FILE: '/run/0xsecret' },
      readFile: () => {
        throw Object.assign(new Error(`${code}: no such file, open '/run/0xsecret'`), { code })
      },
    })

  test.each([
    ['ENOENT', 'KEY_FILE: there is no such file; name a file that holds 0x and 64 hex digits'],
    ['EACCES', 'KEY_FILE: this user may not read the file; name a file that holds 0x and 64 hex digits'],
    ['EIO', 'KEY_FILE: it cannot be read (EIO); name a file that holds 0x and 64 hex digits'],
  ])(
    'an unreadable key file (%s) is explained without its path, which may be the key itself',
    (code, message) => {
      expect(() => readFrom(code)).toThrow(expect.objectContaining({ message }))
    },
  )
})
