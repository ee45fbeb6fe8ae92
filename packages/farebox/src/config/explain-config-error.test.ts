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
  test('is its place, what is wrong, the line underlined, and what to do', () => {
    expect(explainConfigError(errorOf(WITH_PRICE('"0,01"')))).toBe(
      `✗ agent.json:10:50  capabilities.count.pricing.amount: must be a decimal like "0.01", got "0,01"
    10 │       "pricing": { "model": "per_job", "amount": "0,01", "currency": "USDC" },
       │                                                  ^^^^^^
    write "0.01"
`,
    )
  })

  test('is shown the same way in colours', () => {
    const error = errorOf(WITH_PRICE('"0,01"'))
    const marked = explainConfigError(error, MARKUP)
    expect(marked).toContain('<r>✗</r> <b>agent.json:10:50</b>  capabilities.count')
    expect(marked).toContain('<i>10 │</i>       "pricing"')
    expect(marked).toContain('<r>^^^^^^</r>\n')
    expect(marked.replaceAll(/<\/?[bir]>/g, '')).toBe(explainConfigError(error))
  })

  test('names the file as it was named, without the ./ that everybody writes', () => {
    expect(explainConfigError(errorOf('', './agents/agent.json'))).toMatch(/^✗ agents\/agent\.json:1:1 {2}/)
  })
})

describe('several problems', () => {
  test('are counted, told in the order of the file, with a line between them', () => {
    const text = WITH_PRICE('"0"').replace('"Counter"', '""')
    expect(explainConfigError(errorOf(text))).toMatch(
      /^✗ agent\.json has 2 problems\n\n {2}agent\.json:3:11 {2}name: [^]*\n\n {2}agent\.json:10:50 {2}[^]*job cannot be free\n$/,
    )
  })

  test('several at one place show its line once', () => {
    const shown = explainConfigError(errorOf('{ "name": "Counter" }'))
    expect(shown.match(/│ \{/g)).toHaveLength(1)
    expect(shown.match(/is required/g)).toHaveLength(5)
  })

  test('beyond twenty are counted', () => {
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
  /** The part of the excerpt above the carets. */
  const underlined = (shown: string): string => {
    const [, line = '', carets = ''] = shown.split('\n')
    return line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)
  }

  test('is cut around the place where it is long, and no longer than a terminal is wide', () => {
    const minified = JSON.stringify(JSON.parse(WITH_PRICE('"0,01"')))
    const shown = explainConfigError(errorOf(minified))
    expect(underlined(shown)).toBe('"0,01"')
    expect(shown.split('\n')[1]).toMatch(/^ {4}1 │ ….*…$/)
    for (const line of shown.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(120)
  })

  test('a line of a megabyte is not kept: the error holds only what is shown', () => {
    const description = 'x'.repeat(1_000_000)
    const error = errorOf(WITH_PRICE('"1"').replace('Counts.', description))
    expect(JSON.stringify([error.problems, error.excerpts]).length).toBeLessThan(1_000)
    expect(underlined(explainConfigError(error))).toMatch(/^"x{30,}/)
  })

  test('carets are in place on a line with tabs and Windows line ends', () => {
    const text = WITH_PRICE('"0,01"').replaceAll('  ', '\t').replaceAll('\n', '\r\n')
    expect(underlined(explainConfigError(errorOf(text)))).toBe('"0,01"')
    expect(explainConfigError(errorOf(text))).not.toMatch(/[\t\r]/)
  })

  test('carets move two columns for each wide letter before the place', () => {
    const text = WITH_PRICE('"1"').replace('"Counts."', '"字🚌é\u0301👨‍👩‍👧", "colour": 1')
    const [, , carets = ''] = explainConfigError(errorOf(text)).split('\n')
    // Three letters of two columns and one of one; the accent and what joins the family take none.
    expect(carets.indexOf('^')).toBe('    4 │   "description": "", '.length + 3 * 2 + 1)
  })

  test('never moves the cursor of who reads it, nor does a name', () => {
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

test('a file that is not there has no place', () => {
  const problem = {
    file: 'agent.json',
    path: '',
    reason: 'there is no such file',
    fix: 'name it with --config',
  }
  expect(explainConfigError(new ConfigError('agent.json', [problem]))).toBe(
    '✗ agent.json  there is no such file\n  name it with --config\n',
  )
})

test('problems are fit to be sent as JSON, each with its file', () => {
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
