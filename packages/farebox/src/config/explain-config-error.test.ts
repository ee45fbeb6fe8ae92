import { describe, expect, test } from 'vitest'
import type { Paint } from '../paint.ts'
import { explainConfigError } from './explain-config-error.ts'
import { ConfigError } from './config-error.ts'
import { parseConfig } from './parse-config.ts'

const WITH_PRICE = (price: string): string => `{
  "service_version": "1.0",
  "name": "Counter",
  "description": "Counts.",
  "wallet": "\${AGENT_WALLET_ADDRESS}",
  "max_deadline_seconds": 5,
  "capabilities": {
    "count": {
      "description": "Counts words.",
      "pricing": { "model": "per_job", "amount": ${price}, "currency": "USDC" },
      "input_schema": {},
      "output_schema": {}
    }
  }
}
`

function errorOf(text: string, file = 'agent.json'): ConfigError {
  try {
    parseConfig(file, text)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('the config is good')
}

const MARKUP: Paint = {
  bold: text => `<b>${text}</b>`,
  dim: text => `<i>${text}</i>`,
  red: text => `<r>${text}</r>`,
}

describe('one problem', () => {
  test('has the same text with colours', () => {
    const error = errorOf(WITH_PRICE('"0,01"'))
    const marked = explainConfigError(error, MARKUP)
    expect(marked).toContain('<r>✗</r> <b>agent.json:10:50</b>  capabilities.count')
    expect(marked).toContain('<i>10 │</i>       "pricing"')
    expect(marked).toContain('<r>^^^^^^</r>\n')
    expect(marked.replaceAll(/<\/?[bir]>/g, '')).toBe(explainConfigError(error))
  })

  test('names the file as given, without a leading ./', () => {
    expect(explainConfigError(errorOf('', './agents/agent.json'))).toMatch(/^✗ agents\/agent\.json:1:1 {2}/)
  })
})

describe('several problems', () => {
  test('are counted beyond twenty', () => {
    const fields = Array.from({ length: 54 }, (_, index) => `"f${index}": {}`).join(', ')
    const error = errorOf(WITH_PRICE('"1"').replace('"input_schema": {}', `"input_schema": { ${fields} }`))
    expect(error.problems).toHaveLength(54)
    const shown = explainConfigError(error)
    expect(shown).toMatch(/^✗ agent\.json has 54 problems\n/)
    expect(shown).toMatch(/\n {2}… and 34 more\n$/)
    expect(shown.match(/needs a "type"/g)).toHaveLength(20)
  })
})

describe('the line', () => {
  /** The part of the excerpt that the carets underline. */
  const underlined = (shown: string): string => {
    const [, line = '', carets = ''] = shown.split('\n')
    return line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)
  }

  test('is not stored whole when it has a megabyte: the error holds only the excerpt', () => {
    const description = 'x'.repeat(1_000_000)
    const error = errorOf(WITH_PRICE('"1"').replace('Counts.', description))
    expect(JSON.stringify([error.problems, error.excerpts]).length).toBeLessThan(1_000)
    expect(underlined(explainConfigError(error))).toMatch(/^"x{30,}/)
  })

  test('has carets that are moved by two columns for each wide letter before the place', () => {
    const text = WITH_PRICE('"1"').replace('"Counts."', '"字🚌é\u0301👨‍👩‍👧", "colour": 1')
    const [, , carets = ''] = explainConfigError(errorOf(text)).split('\n')
    // Three graphemes of two columns and one of one column; the accent and the joiners of the family take none.
    expect(carets.indexOf('^')).toBe('    4 │   "description": "", '.length + 3 * 2 + 1)
  })

  test('never contains characters that move the cursor, nor does a name', () => {
    const hostile = '\u001b[2J\u202e\u009b31m\u0007'
    for (const text of [
      WITH_PRICE('"1"')
        .replace('"count"', JSON.stringify(`${hostile}7`))
        .replace('"per_job"', '"x"'),
      WITH_PRICE('"1"').replace('"count"', `"${hostile}"`),
      WITH_PRICE(`"${hostile}"`),
    ]) {
      const error = errorOf(text, `${hostile}.json`)
      // oxlint-disable-next-line no-control-regex -- they are what is looked for
      const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
      expect(explainConfigError(error)).not.toMatch(unsafe)
      expect(error.message).not.toMatch(unsafe)
      expect(error.message.split('\n')).toHaveLength(error.problems.length)
    }
  })
})

test('problems can be sent as JSON, each with its file', () => {
  const { problems } = errorOf(WITH_PRICE('"0,01"'))
  expect(JSON.parse(JSON.stringify(problems))).toEqual([
    {
      file: 'agent.json',
      line: 10,
      column: 50,
      path: 'capabilities.count.pricing.amount',
      reason: 'must be a decimal like "0.01", got "0,01"',
      fix: 'write "0.01"',
    },
  ])
})
