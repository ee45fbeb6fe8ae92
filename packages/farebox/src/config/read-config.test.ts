import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { growth, LINEAR } from '@farebox/protocol/src/test-setup/cpu-ratio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from './parse-config.ts'
import { ConfigError, readConfig } from './read-config.ts'

const GOOD = `{
  "service_version": "1.0",
  "name": "Counter",
  "description": "Counts.",
  "wallet": "\${AGENT_WALLET_ADDRESS}",
  "max_deadline_seconds": 5,
  "capabilities": {
    "count": {
      "description": "Counts words.",
      "pricing": { "model": "per_job", "amount": "0.01", "currency": "USDC" },
      "input_schema": { "text": { "type": "string", "required": true } },
      "output_schema": { "words": { "type": "number" } }
    }
  }
}
`

/** The problems as shown to people. */
function refusalOf(text: string): readonly string[] {
  try {
    parseConfig('agent.json', text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('a good config', () => {
  test('D28 is returned unchanged', () => {
    expect(parseConfig('agent.json', GOOD)).toEqual(JSON.parse(GOOD))
  })

  test('D28 may have a $schema, which is not served', () => {
    expect(parseConfig('agent.json', GOOD.replace('{', '{ "$schema": "./agent.schema.json",'))).toEqual(
      JSON.parse(GOOD),
    )
  })

  test('may begin with a byte order mark, as some editors write it', () => {
    expect(parseConfig('agent.json', `\uFEFF${GOOD}`)).toEqual(JSON.parse(GOOD))
  })

  test('may have Windows line ends and tabs', () => {
    expect(parseConfig('agent.json', GOOD.replaceAll('\n', '\r\n').replaceAll('  ', '\t'))).toEqual(
      JSON.parse(GOOD),
    )
  })
})

describe('every problem is reported with its place', () => {
  test('a byte order mark in the first line is not counted', () => {
    expect(refusalOf('\uFEFF[]')).toEqual(['agent.json:1:1 must be a JSON object, got an array'])
  })

  test('an empty file', () => {
    for (const text of ['', ' \n\n', '\uFEFF'])
      expect(refusalOf(text)).toEqual(['agent.json:1:1 the file is empty'])
  })

  test('VAL-01 the key __proto__ is handled like any other unknown key', () => {
    expect(refusalOf(GOOD.replace('"name"', '"__proto__": {}, "name"'))).toEqual([
      'agent.json:3:3 __proto__: is not a known key',
    ])
  })

  test.each([
    ['a no-break space', GOOD.replace('"name":', '"name":\u00a0')],
    ['a raw tab in a string', GOOD.replace('Counts words', 'Counts\twords')],
    ['a number that JSON does not have', GOOD.replace('5,', '05,')],
    ['what is left of UTF-16', GOOD.replace('{', '{\0')],
    ['two values', `${GOOD}${GOOD}`],
    ['a lone surrogate escape, which is JSON', GOOD.replace('"Counts."', '"Counts\\ud800", "colour": 1')],
  ])('%s is refused in words', (_, text) => {
    expect(refusalOf(text)).toEqual([expect.stringMatching(/^agent\.json:\d+:\d+ /)])
  })

  test('VAL-18 too many fields in a capability are one problem', () => {
    const fields = Array.from({ length: 1_001 }, (_, index) => `"field${index}": { "type": "string" }`)
    expect(refusalOf(GOOD.replace('"words": { "type": "number" }', fields.join(',\n')))).toEqual([
      expect.stringMatching(
        /^agent\.json:12:24 capabilities\.count\.output_schema: must hold at most 1000 fields/,
      ),
    ])
  })

  test('VAL-18 of ten thousand wrong fields a hundred are reported, in time in proportion to their number', () => {
    const withWrong = (length: number): string => {
      const fields = Array.from({ length }, (_, index) => `"field${index}": { "type": "strin" }`)
      return GOOD.replace('"words": { "type": "number" }', fields.join(',\n'))
    }
    expect(growth(length => refusalOf(withWrong(length)), 2_500)).toBeLessThan(LINEAR)
    const problems = refusalOf(withWrong(10_000))
    expect(problems).toHaveLength(101)
    expect(problems).toContainEqual(expect.stringContaining('has at least 100 problems'))
    expect(problems).toContainEqual(
      expect.stringMatching(/^agent\.json:\d+:\d+ capabilities\.count\.output_schema\.field99\b/),
    )
  })

  test('VAL-18 a thousand valid fields are accepted', () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => `"field${index}": { "type": "string" }`).join(
      ',\n',
    )
    expect(refusalOf(GOOD.replace('"words": { "type": "number" }', fields))).toEqual([])
  })

  test('VAL-18 a config nested a hundred thousand deep is refused', () => {
    expect(refusalOf(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toEqual([
      'agent.json:1:201 is nested more than 200 deep',
    ])
  })
})

describe('the file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-config-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
  })

  test('is read', async () => {
    const file = join(folder, 'agent.json')
    await writeFile(file, `\uFEFF${GOOD}`)
    expect((await readConfig(file)).name).toBe('Counter')
  })

  test('is refused for a duplicate key, although JSON.parse accepts it', async () => {
    const file = join(folder, 'twice.json')
    const texts = [
      GOOD.replace('"name": "Counter",', '"name": "Counter", "name": "Counter",'),
      GOOD.replace('"name": "Counter",', '"name": "Co: \\"unter\\": ", "n\\u0061me": "Counter",'),
    ]
    for (const text of texts) {
      await writeFile(file, text)
      expect(() => JSON.parse(text) as unknown).not.toThrow()
      await expect(readConfig(file)).rejects.toThrow(/name: is declared twice/)
    }
    await writeFile(file, GOOD.replace('"Counter"', '"Co: \\"unter\\": "'))
    expect((await readConfig(file)).name).toBe('Co: "unter": ')
  })

  test('is refused when it is larger than any config', async () => {
    const file = join(folder, 'large.json')
    await writeFile(file, Buffer.alloc(4_194_305, 0x20))
    await expect(readConfig(file)).rejects.toThrow(/large\.json: is 4194305 bytes, at most 4194304 are read$/)
  })

  test('D30 is refused for a literal wallet with a wrong checksum', async () => {
    const file = join(folder, 'wallet.json')
    const good = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
    const withWallet = (wallet: string) => GOOD.replace('${AGENT_WALLET_ADDRESS}', wallet)
    for (const wallet of [good, good.toLowerCase()]) {
      await writeFile(file, withWallet(wallet))
      expect((await readConfig(file)).wallet).toBe(wallet)
    }
    await writeFile(file, withWallet(good.replace('AAf5', 'aAf5')))
    await expect(readConfig(file)).rejects.toThrow(/wallet\.json:5:13 wallet: has a wrong checksum/)
  })
})
