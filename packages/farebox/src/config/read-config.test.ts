import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, parseConfig, readConfig } from './read-config.ts'

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

/** The problems as a person reads them. */
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
  test('D28 is read as it stands', () => {
    expect(parseConfig('agent.json', GOOD)).toEqual(JSON.parse(GOOD))
  })

  test('D28 may name its $schema, which is not served', () => {
    expect(parseConfig('agent.json', GOOD.replace('{', '{ "$schema": "./agent.schema.json",'))).toEqual(
      JSON.parse(GOOD),
    )
  })

  test('begins with a byte order mark, as some editors write it', () => {
    expect(parseConfig('agent.json', `\uFEFF${GOOD}`)).toEqual(JSON.parse(GOOD))
  })

  test('has Windows line ends and tabs', () => {
    expect(parseConfig('agent.json', GOOD.replaceAll('\n', '\r\n').replaceAll('  ', '\t'))).toEqual(
      JSON.parse(GOOD),
    )
  })
})

describe('what is wrong is told with its place', () => {
  test('a nested problem, with line and column of the value', () => {
    expect(refusalOf(GOOD.replace('"0.01"', '"0,01"'))).toEqual([
      expect.stringMatching(/^agent\.json:10:50 capabilities\.count\.pricing\.amount: .*"0,01"/),
    ])
  })

  test('with Windows line ends, tabs and a byte order mark the place is the same', () => {
    const text = `\uFEFF${GOOD.replace('"0.01"', '"0,01"').replaceAll('\n', '\r\n').replaceAll('  ', '\t')}`
    expect(refusalOf(text)[0]).toMatch(/^agent\.json:10:47 capabilities\.count\.pricing\.amount/)
  })

  test('in the first line a byte order mark is not counted', () => {
    expect(refusalOf('\uFEFF[]')).toEqual(['agent.json:1:1 must be a JSON object, got an array'])
  })

  test('a missing value, at what should hold it', () => {
    const problem = refusalOf(GOOD.replace(/"output_schema".*\n/, '"outputschema": {}\n'))
    expect(problem).toEqual([
      expect.stringMatching(
        /^agent\.json:12:23 capabilities\.count\.outputschema: is not a known key, did you mean "output_schema"\?/,
      ),
      'agent.json:8:14 capabilities.count.output_schema: is required',
    ])
  })

  test('a syntax error, where it is', () => {
    expect(refusalOf(GOOD.replace('"1.0",', '"1.0"'))).toEqual([
      expect.stringMatching(/^agent\.json:3:3 not JSON: comma expected/),
    ])
    expect(refusalOf(GOOD.slice(0, -4))).toEqual([
      expect.stringMatching(/^agent\.json:\d+:\d+ not JSON: close brace expected/),
    ])
    expect(refusalOf(GOOD.replace('5,', '5, // seconds'))).toEqual([
      expect.stringMatching(/^agent\.json:6:30 not JSON: .*comment/),
    ])
    expect(refusalOf(GOOD.replace('"number" }', '"number", }'))).toEqual([
      expect.stringMatching(/^agent\.json:12:\d+ not JSON/),
    ])
  })

  test('an empty file', () => {
    expect(refusalOf('')).toEqual([expect.stringMatching(/^agent\.json:1:1 (?:the file is empty|not JSON)/)])
  })

  test('a key declared twice, at its second place: JSON would silently take that one', () => {
    const text = GOOD.replace('"currency": "USDC" }', '"currency": "USDC", "amount": "9" }')
    expect(refusalOf(text)).toEqual(['agent.json:10:88 capabilities.count.pricing.amount: is declared twice'])
  })

  test('VAL-01 the key __proto__ is one like any other, and unknown', () => {
    expect(refusalOf(GOOD.replace('"name"', '"__proto__": {}, "name"'))).toEqual([
      'agent.json:3:16 __proto__: is not a known key',
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

  test('VAL-18 ten thousand wrong fields are refused within a second', () => {
    const fields = Array.from({ length: 10_000 }, (_, index) => `"field${index}": { "type": "strin" }`).join(
      ',\n',
    )
    const startedMs = performance.now()
    const problems = refusalOf(GOOD.replace('"words": { "type": "number" }', fields))
    expect(performance.now() - startedMs).toBeLessThan(1_000)
    expect(problems).toContainEqual(
      expect.stringMatching(
        /^agent\.json:12:24 capabilities\.count\.output_schema: must hold at most 1000 fields/,
      ),
    )
    expect(problems).toContainEqual(
      expect.stringMatching(/^agent\.json:\d+:\d+ capabilities\.count\.output_schema\.field998\b/),
    )
  })

  test('VAL-18 a thousand good fields are served', () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => `"field${index}": { "type": "string" }`).join(
      ',\n',
    )
    expect(refusalOf(GOOD.replace('"words": { "type": "number" }', fields))).toEqual([])
  })

  test('VAL-18 a config nested a hundred thousand deep is refused', () => {
    expect(refusalOf(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toEqual([
      expect.stringMatching(/^agent\.json:1:1 .*nested/),
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

  test('is missing: said with what to do', async () => {
    await expect(readConfig('nowhere/agent.json')).rejects.toThrow(
      'nowhere/agent.json:1:1 there is no such file: name it with --config, or run in its folder',
    )
  })

  test('is a folder', async () => {
    await expect(readConfig(folder)).rejects.toThrow(/:1:1 cannot be read \(EISDIR\)/)
  })

  test('is larger than any config', async () => {
    const file = join(folder, 'large.json')
    await writeFile(file, Buffer.alloc(4_194_305, 0x20))
    await expect(readConfig(file)).rejects.toThrow(/:1:1 is 4194305 bytes, at most 4194304 are read/)
  })
})
