import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explainConfigError } from './explain-config-error.ts'
import { ConfigError, readConfig } from './read-config.ts'

const GOOD = `{
  "service_version": "1.0",
  "name": "Word counter",
  "description": "Counts the words of a text.",
  "wallet": "\${AGENT_WALLET_ADDRESS}",
  "max_deadline_seconds": 10,
  "capabilities": {
    "count": {
      "description": "Counts words and lines.",
      "pricing": { "model": "per_job", "amount": "0.002", "currency": "USDC" },
      "input_schema": {
        "text": { "type": "string", "required": true, "maxLength": 20000 },
        "top": { "type": "integer", "minimum": 1, "maximum": 50 }
      },
      "output_schema": {
        "words": { "type": "integer" },
        "lines": { "type": "integer" }
      }
    }
  }
}
`

/** The valid config with one change. */
function having(change: readonly [from: string, to: string]): string {
  if (!GOOD.includes(change[0])) throw new Error(`the good config does not hold ${change[0]}`)
  return GOOD.replace(change[0], () => change[1])
}

const TEXT_FIELD = '{ "type": "string", "required": true, "maxLength": 20000 }'
const field = (text: string): string => having([TEXT_FIELD, text])
const amount = (text: string): string => having(['"0.002"', text])
const wallet = (text: string): string => having(['${AGENT_WALLET_ADDRESS}', text])
const nested = (levels: number): string =>
  '{"type":"array","items":'.repeat(levels) + '{"type":"string"}' + '}'.repeat(levels)
const PERMISSION = '"permissions": [{ "type": "EXECUTE", "reason": "", "max_per_transaction": 5 }]'

/** Broken configs by name, in the order of the snapshot. */
const BROKEN: { readonly [name: string]: string | Uint8Array } = {
  // The form of the file.
  'an empty file': '',
  'a comma before the closing brace': field('{ "type": "string", "required": true, }'),
  'no comma between two keys': having(['"Word counter",', '"Word counter"']),
  'single quotes': having(['"Word counter"', "'Word counter'"]),
  'a key without quotes': having(['"name"', 'name']),
  'no quotes at all': GOOD.replace(/"(\w+)":/g, '$1:'),
  'a comment': having(['10,', '10, // seconds']),
  'a brace never closed': having(['maximum": 50 }\n      },', 'maximum": 50 }']),
  'a file that breaks off': GOOD.slice(0, GOOD.indexOf('"output_schema"')),
  'a bracket closed by a brace': having(['"maxLength": 20000 }', '"maxLength": 20000 ]']),
  'a text never closed': having(['"Word counter"', '"Word counter']),
  'a quotation mark within a text': having(['Counts the words', 'Counts the "real" words']),
  'no colon': having(['"name":', '"name"']),
  'no value': having(['10,', ',']),
  'a number with a leading zero': having(['10,', '010,']),
  'a number with a comma': having(['10,', '1,000,']),
  NaN: having(['10,', 'NaN,']),
  'a regular expression with single backslashes': field('{ "type": "string", "pattern": "^\\d+$" }'),
  'the file pasted twice': GOOD + GOOD,
  YAML: 'service_version: "1.0"\nname: Word counter\n',
  'UTF-16': Buffer.from(`\uFEFF${GOOD}`, 'utf16le'),
  'Latin-1': Buffer.from(having(['Word counter', 'Café']), 'latin1'),
  'far too deep': '['.repeat(300) + ']'.repeat(300),
  'a list instead of an object': `[${GOOD.trim()}]`,
  // The declaration.
  'a key declared twice': having([
    '"currency": "USDC"',
    '"currency": "USDC",\n                   "amount": "0.02"',
  ]),
  'a missing field': having(['  "max_deadline_seconds": 10,\n', '']),
  'most of it missing': '{ "name": "Word counter" }',
  'an unknown key': having(['"name"', '"colour": "red",\n  "name"']),
  'a mistyped key': having(['"max_deadline_seconds"', '"max_deadline_second"']),
  'a key of another language': having(['"pricing": {', '"price": {']),
  'a wrong service_version': having(['"1.0"', '1.0']),
  'a wrong type': having(['"Word counter"', '42']),
  'an empty name': having(['"Word counter"', '" "']),
  'a description too long': having(['Counts the words of a text.', 'Counts words. '.repeat(80)]),
  'a wallet that is a name': wallet('vitalik.eth'),
  'a wallet with a digit too few': wallet('0x15d34AAf54267DB7D7c367839AAf71A00a2C6A6'),
  'a wallet with a wrong checksum': wallet('0x15d34AAf54267DB7D7c367839AAf71A00a2C6A56'),
  'the zero address': wallet(`0x${'0'.repeat(40)}`),
  'another variable as wallet': wallet('${WALLET}'),
  'a deadline in milliseconds': having(['10,', '10000,']),
  'a deadline of a day': having(['10,', '86400,']),
  'no capabilities': GOOD.replace(/"capabilities": \{[^]*\}/, '"capabilities": {}\n}'),
  'a list of capabilities': having(['"capabilities": {', '"capabilities": [{']).replace(
    /\}\n\}\n$/,
    '}]\n}\n',
  ),
  'a capability called __proto__': having(['"count"', '"__proto__"']),
  'a capability called by a number': having(['"count"', '"2024"']),
  'a capability that is a text': GOOD.replace(/"count": \{[^]*\n {4}\}/, '"count": "counts words"'),
  // Prices.
  'a price with a comma': amount('"0,002"'),
  'a price without quotes': amount('0.002'),
  'a price with its currency': amount('"$0.002"'),
  'a price of zero': amount('"0.00"'),
  'a price with too many decimals': amount('"0.0020005"'),
  'a price in words': amount('"cheap"'),
  'another currency': having(['"USDC"', '"EUR"']),
  'permissions that are wrong': having(['"input_schema"', `${PERMISSION},\n      "input_schema"`]),
  // Fields.
  'a whole JSON Schema': having([
    '"output_schema": {\n        "words": { "type": "integer" },\n        "lines": { "type": "integer" }\n',
    '"output_schema": {\n        "type": "object",\n        "properties": { "words": { "type": "integer" } },\n        "required": ["words"]\n',
  ]),
  'a list of fields': having(['"input_schema": {', '"input_schema": [{']).replace(
    ' 50 }\n      }',
    ' 50 }\n      }]',
  ),
  'a field that is a type': field('"string"'),
  'a field without a type': field('{ "required": true, "maxLength": 100 }'),
  'a mistyped type': field('{ "type": "sting" }'),
  'a type of another language': field('{ "type": "bool" }'),
  'two types': field('{ "type": ["string", "null"] }'),
  'a mistyped keyword': field('{ "type": "string", "maxlength": 100 }'),
  'a keyword of another language': field('{ "type": "string", "max": 100 }'),
  'a keyword of JSON Schema': field('{ "type": "string", "const": "en" }'),
  'a keyword of another type': field('{ "type": "string", "maximum": 100 }'),
  'a keyword nobody knows': field('{ "type": "string", "zebra": true }'),
  'required as a list': field(
    '{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }',
  ),
  'required as a text': field('{ "type": "string", "required": "true" }'),
  'the least above the greatest': field('{ "type": "string", "minLength": 10, "maxLength": 5 }'),
  'a length that is a text': field('{ "type": "string", "maxLength": "100" }'),
  'a length below zero': field('{ "type": "string", "minLength": -1 }'),
  'a pattern that does not compile': field('{ "type": "string", "pattern": "^(en|de$" }'),
  'a pattern with a lookahead': field('{ "type": "string", "pattern": "^(?!en)" }'),
  'a pattern too long': field(`{ "type": "string", "pattern": "^(${'ab|'.repeat(90)}c)$" }`),
  'an unknown format': field('{ "type": "string", "format": "url" }'),
  'a format there is not': field('{ "type": "string", "format": "phone" }'),
  'a default of another type': field('{ "type": "integer", "default": "5" }'),
  'a default above the maximum': field('{ "type": "integer", "maximum": 50, "default": 100 }'),
  'a default beside the enum': field('{ "type": "string", "enum": ["en", "de"], "default": "fr" }'),
  'an enum of mixed types': field('{ "type": "string", "enum": ["en", 1, null, "en"] }'),
  'an enum that is a text': field('{ "type": "string", "enum": "en" }'),
  'a field called by a number': having(['"text"', '"1"']),
  'a field without a name': having(['"text"', '""']),
  'fields within fields within fields': field(nested(20)),
  'ten thousand fields on one line': having([
    '"words": { "type": "integer" }',
    Array.from({ length: 10_000 }, (_, index) => `"word${index}": { "type": "integer" }`).join(', '),
  ]),
  'the same mistake in thirty fields': having([
    '        "words": { "type": "integer" }',
    Array.from({ length: 30 }, (_, index) => `        "word${index}": { "type": "int" }`).join(',\n'),
  ]),
  // The expected form of the lines.
  'several problems': having(['"USDC"', '"EUR"']).replace('"Word counter"', '""').replace('10,', '"10",'),
  minified: JSON.stringify(JSON.parse(amount('"0,002"'))),
  'Windows line ends and tabs': amount('"0,002"').replaceAll('\n', '\r\n').replaceAll('  ', '\t'),
  'wide letters before the place': having([
    '"description": "Counts',
    '"description": "字数 🚌🚌", "wallets": 1, "x": "Counts',
  ]),
  'characters that would move the cursor': having([
    '"name": "Word',
    '"name": "\u202eWord\u009b31m", "\u001b[2J\\u001b[2J": 1, "x": "',
  ]),
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-broken-'))
  await mkdir(join(folder, 'a-folder'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

/** The error of reading the config. */
async function refusalOf(content: string | Uint8Array): Promise<ConfigError> {
  await writeFile(join(folder, 'agent.json'), content)
  return await refusalOfFile('agent.json')
}

async function refusalOfFile(name: string): Promise<ConfigError> {
  const error = await readConfig(join(folder, name)).then(
    () => new Error('it was read'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof ConfigError) return error
  throw error
}

/** The text that a command in the config’s folder prints. */
function printed(error: ConfigError): string {
  return explainConfigError(error).replaceAll(`${folder}/`, '')
}

test('the config that the other tests break is valid', async () => {
  await writeFile(join(folder, 'agent.json'), GOOD)
  expect(await readConfig(join(folder, 'agent.json'))).toEqual(JSON.parse(GOOD))
})

test.each(Object.entries(BROKEN))(
  '%s: file, line, column, path and the fix are reported',
  async (_, content) => {
    const { problems, excerpts, message } = await refusalOf(content)
    expect(problems).not.toHaveLength(0)
    expect(message.split('\n')).toHaveLength(problems.length)
    for (const [index, problem] of problems.entries()) {
      expect(problem).toMatchObject({
        file: join(folder, 'agent.json'),
        path: expect.any(String),
        reason: expect.stringMatching(/./),
        fix: expect.stringMatching(/^\w.*[^.\s]$/),
      })
      // Input that is not UTF-8 has no lines.
      if (typeof content !== 'string') continue
      expect(problem).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
      expect(placeIn(content, problem.line, problem.column)).toContain(excerpts[index]?.marked)
    }
    const places = problems.map(({ line = 0, column = 0 }) => line * 1e6 + column)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  },
)

/** The rest of the line, starting at a place. */
function placeIn(text: string, line = 0, column = 0): string | undefined {
  return text.split(/\r?\n/)[line - 1]?.slice(column - 1)
}

test('the complete error texts match the snapshot', async () => {
  const sections: string[] = []
  for (const [name, content] of Object.entries(BROKEN))
    sections.push(`── ${name}\n${printed(await refusalOf(content))}`)
  for (const name of ['nowhere.json', 'a-folder'])
    sections.push(`── ${name}\n${printed(await refusalOfFile(name))}`)
  await expect(sections.join('\n')).toMatchFileSnapshot('broken-configs.snapshot.txt')
})
