import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import { describe, expect, test } from 'vitest'
import { paintFor } from '../../terminal/text.ts'
import { describeCapabilities, shortField, describeFields } from './describe-agent.ts'
import { describeSamples, typesFileName } from '../agent/describe-samples.ts'
import { payNext, tryNext } from '../agent/try-next.ts'

const PLAIN = paintFor({ live: false })

function capability(amount: string, input: FieldMap, output: FieldMap): Capability {
  return {
    description: '',
    pricing: { model: 'per_job', amount, currency: 'USDC' },
    input_schema: input,
    output_schema: output,
  }
}

function declare(capabilities: Declaration['capabilities']): Declaration {
  return {
    service_version: '1.0',
    name: 'Text statistics',
    description: '',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 5,
    capabilities,
  }
}

const TEXTS = declare({
  count: capability(
    '0.002',
    { text: { type: 'string', required: true, minLength: 1, maxLength: 20_000 }, top: { type: 'integer' } },
    { words: { type: 'integer' }, frequent: { type: 'array', items: { type: 'string' } } },
  ),
  summarize: capability(
    '0.01',
    { text: { type: 'string', required: true } },
    { summary: { type: 'string', required: false } },
  ),
})

describe('a field in a few words', () => {
  const cases: readonly [Field, string][] = [
    [{ type: 'string' }, 'string'],
    [{ type: 'string', minLength: 1, maxLength: 20_000 }, 'string (1–20,000)'],
    [{ type: 'string', maxLength: 5, format: 'email' }, 'string (≤ 5, email)'],
    [{ type: 'string', pattern: '^a+$' }, 'string (/^a+$/)'],
    [{ type: 'string', minLength: 4, maxLength: 4 }, 'string (4)'],
    [{ type: 'number', minimum: 0.5 }, 'number (≥ 0.5)'],
    [{ type: 'integer', default: 10 }, 'integer = 10'],
    [{ type: 'string', enum: ['day', 'night'] }, '"day" | "night"'],
    [{ type: 'integer', enum: [1, 2, 3, 4, 5] }, '1 | 2 | 3 | 4 | …'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', items: { type: 'number', minimum: 0 }, minItems: 2, maxItems: 3 }, 'number[] (2–3)'],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } } }, '{lat, lon}'],
    [{ type: 'object' }, 'object'],
  ]
  test.each(cases)('%j', (field, words) => {
    expect(shortField(field)).toBe(words)
  })

  test('D20 a question mark marks an optional field, by the rule for inputs or for outputs', () => {
    const fields: FieldMap = {
      a: { type: 'string' },
      b: { type: 'string', required: true },
      c: { type: 'string', required: false },
    }
    expect(describeFields(fields, 'input')).toBe('a?: string, b: string, c?: string')
    expect(describeFields(fields, 'output')).toBe('a: string, b: string, c?: string')
  })
})

describe('the lines of an agent', () => {
  test('are aligned, with prices of the same number of digits', () => {
    expect(describeCapabilities(TEXTS, { columns: 120, paint: PLAIN })).toEqual([
      '  count       0.002 USDC   text: string (1–20,000), top?: integer   →  words: integer, frequent: string[]',
      '  summarize   0.010 USDC   text: string                             →  summary?: string',
    ])
  })

  test('show outputs by name when types do not fit, else below the input, and are cut as a last resort', () => {
    expect(describeCapabilities(TEXTS, { columns: 90, paint: PLAIN })).toEqual([
      '  count       0.002 USDC   text: string (1–20,000), top?: integer   →  words, frequent',
      '  summarize   0.010 USDC   text: string                             →  summary',
    ])
    expect(describeCapabilities(TEXTS, { columns: 70, paint: PLAIN })).toEqual([
      '  count       0.002 USDC   text: string (1–20,000), top?: integer',
      '                           →  words: integer, frequent: string[]',
      '  summarize   0.010 USDC   text: string',
      '                           →  summary?: string',
    ])
    expect(describeCapabilities(TEXTS, { columns: 40, paint: PLAIN })[0]).toBe(
      '  count       0.002 USDC   text: string…',
    )
  })

  test('colours change neither width nor letters', () => {
    const [line = ''] = describeCapabilities(TEXTS, { columns: 60, paint: paintFor({ live: true }) })
    // eslint-disable-next-line no-control-regex -- the colours themselves
    expect(line.replaceAll(/\u001b\[\d+m/g, '')).toBe(
      describeCapabilities(TEXTS, { columns: 60, paint: PLAIN })[0],
    )
  })

  test('an empty input, and names that would move the cursor', () => {
    const declaration = declare({ 'a\u001b[2Jb': capability('1', {}, { 'x\ny': { type: 'string' } }) })
    expect(describeCapabilities(declaration, { columns: 80, paint: PLAIN })).toEqual([
      '  a·[2Jb   1 USDC   nothing   →  x·y: string',
    ])
  })
})

describe('the line to try next', () => {
  const JOB_ID = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'

  test('curl and farebox call, for the capability with the shortest input', () => {
    const text: Field = { type: 'string', required: true }
    const { summarize } = TEXTS.capabilities
    if (summarize === undefined) throw new Error('it is not declared')
    const long = capability('1', { a: text, b: text }, { x: text })
    expect(tryNext(declare({ long, summarize }), 'http://127.0.0.1:3000', JOB_ID)).toEqual([
      `curl -s http://127.0.0.1:3000/execute -H 'content-type: application/json' -d '{ "service_version": "1.0", "job_id": "${JOB_ID}", "deadline": 4102444800,`,
      `  "task": { "capability": "summarize", "input": {"text":"text"} } }'`,
      'farebox call http://127.0.0.1:3000 summarize --text text',
    ])
  })

  test('an apostrophe does not end a shell quote', () => {
    const declaration = declare({
      say: capability(
        '1',
        { words: { type: 'string', required: true, examples: ["it's fine"] } },
        { x: { type: 'string' } },
      ),
    })
    const [, task, call] = tryNext(declaration, 'http://h', JOB_ID)
    expect(task).toBe(String.raw`  "task": { "capability": "say", "input": {"words":"it'\''s fine"} } }'`)
    expect(call).toBe(String.raw`farebox call http://h say --words 'it'\''s fine'`)
  })

  test('farebox call names the missing value when no sample input exists', () => {
    const impossible: Field = { type: 'integer', required: true, minimum: 0.2, maximum: 0.8 }
    const declaration = declare({ odd: capability('1', { n: impossible }, { x: { type: 'string' } }) })
    expect(tryNext(declaration, 'http://h', JOB_ID)).toEqual(['farebox call http://h odd --dry-run'])
  })

  test('another terminal finds an economy in another folder', () => {
    expect(payNext(TEXTS, 'http://h', '/tmp/an economy')[0]).toMatch(
      /^FAREBOX_LOCAL='\/tmp\/an economy' farebox call http:\/\/h /,
    )
    expect(payNext(TEXTS, 'http://h')[0]).toMatch(/^farebox call http:\/\/h /)
  })
})

describe('samples', () => {
  const about = { types: 'agent.d.ts', columns: 100, paint: PLAIN }

  test('without a handler file, the file to write is shown', () => {
    const options = { ...about, sampled: ['count', 'summarize'], handlers: undefined }
    expect(describeSamples(TEXTS, options)).toEqual([
      '! SAMPLES: there are no handlers yet, every answer is made up from the output schema',
      '  write handlers.ts beside the config; it takes over as soon as it is saved:',
      '',
      "    import type { Handlers } from './agent.d.ts'",
      '    export default {',
      '      count: ({ text, top }) => ({ words: 1, frequent: ["text"] }),',
      '      summarize: ({ text }) => ({ summary: "text" }),',
      '    } satisfies Handlers',
    ])
  })

  test('for a missing handler, the line to add is shown', () => {
    const options = { ...about, sampled: ['summarize'], handlers: '/p/src/handlers.mts' }
    expect(describeSamples(TEXTS, options)).toEqual([
      '! SAMPLES: summarize has no handler in handlers.mts, its answers are made up from the output schema',
      '  add to the default export of handlers.mts:',
      '',
      '      summarize: ({ text }) => ({ summary: "text" }),',
    ])
  })

  test('nothing is shown when every capability has its handler', () => {
    expect(describeSamples(TEXTS, { ...about, sampled: [], handlers: '/p/handlers.ts' })).toEqual([])
  })

  test('the file of types is named after the config', () => {
    expect(typesFileName('/p/agent.json')).toBe('agent.d.ts')
  })
})
