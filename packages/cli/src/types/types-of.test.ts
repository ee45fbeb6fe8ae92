import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { expect, test } from 'vitest'
import { typesOf } from './types-of.ts'

const ping: Capability = {
  description: '',
  pricing: { model: 'per_job', amount: '0.5', currency: 'USDC' },
  input_schema: {},
  output_schema: {},
}
const rich: Declaration = {
  service_version: '1.0',
  name: 'Rich',
  description: 'One of everything.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 5,
  capabilities: {
    'text-stats': {
      description:
        'Counts the words of a text, the sentences and how often each word is used, small words left out',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: {
        text: {
          type: 'string',
          required: true,
          description: 'The text to count',
          minLength: 1,
          maxLength: 20_000,
        },
        top: { type: 'integer', title: 'How many', default: 10, minimum: 0, maximum: 100 },
        'reading-speed': { type: 'number', description: 'Words a minute.\nSlow readers: 150.', minimum: 50 },
        language: { type: 'string', enum: ['en', 'de', 'it’s', "o'clock"], default: 'en' },
        country: { type: 'string', enum: Array.from({ length: 12 }, (_, index) => `country-${index}`) },
        email: { type: 'string', format: 'email', required: true },
        code: { type: 'string', pattern: '^a*/$' },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 1 },
        rows: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer', required: true }, note: { type: 'string', maxLength: 9 } },
          },
        },
        grid: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        anything: { type: 'array' },
        options: { type: 'object', properties: { loud: { type: 'boolean', default: false } }, default: {} },
        free: { type: 'object' },
      },
      output_schema: {
        words: { type: 'integer' },
        frequent: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
        note: { type: 'string', required: false, description: 'Only where there is something to say' },
      },
    },
    ping,
  },
}

test('a declaration as types', () => {
  expect(typesOf(rich)).toMatchInlineSnapshot(`
    "// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

    import type { JobContext, JsonObject, JsonValue } from 'farebox'

    export type TextStatsInput = {
      /** The text to count. 1–20,000 characters. */
      text: string
      /** How many. Whole number, 0–100, default \`10\`. */
      top: number
      /** Words a minute. Slow readers: 150. At least 50. */
      'reading-speed'?: number
      /** Default \`"en"\`. */
      language: 'en' | 'de' | 'it’s' | 'o\\'clock'
      country?:
        | 'country-0'
        | 'country-1'
        | 'country-2'
        | 'country-3'
        | 'country-4'
        | 'country-5'
        | 'country-6'
        | 'country-7'
        | 'country-8'
        | 'country-9'
        | 'country-10'
        | 'country-11'
      /** Format \`email\`. */
      email: string
      /** Matches \`^a*\\/$\`. */
      code?: string
      /** Exactly 1 item. */
      tags?: ('a' | 'b')[]
      rows?: {
        /** Whole number. */
        id: number
        /** At most 9 characters. */
        note?: string
      }[]
      grid?: number[][]
      anything?: JsonValue[]
      /** Default \`{}\`. */
      options: {
        /** Default \`false\`. */
        loud: boolean
      }
      free?: JsonObject
    }

    export type TextStatsOutput = {
      /** Whole number. */
      words: number
      frequent: readonly (readonly string[])[]
      /** Only where there is something to say. */
      note?: string | undefined
    }

    export type PingInput = {}

    export type PingOutput = {}

    export type Handlers = {
      /**
       * Counts the words of a text, the sentences and how often each word is used, small words left
       * out. 0.002 USDC a job.
       */
      'text-stats': (
        input: TextStatsInput,
        context: JobContext,
      ) => TextStatsOutput | Promise<TextStatsOutput>
      /** 0.5 USDC a job. */
      ping: (input: PingInput, context: JobContext) => PingOutput | Promise<PingOutput>
    }
    "
  `)
})

test('the handler of a single capability has a type of its own', () => {
  expect(typesOf({ ...rich, capabilities: { "it's": ping } })).toMatchInlineSnapshot(`
    "// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

    import type { JobContext } from 'farebox'

    export type ItSInput = {}

    export type ItSOutput = {}

    export type Handlers = {
      /** 0.5 USDC a job. */
      'it\\'s': (input: ItSInput, context: JobContext) => ItSOutput | Promise<ItSOutput>
    }

    /** For a default export that is just the function. */
    export type Handler = Handlers['it\\'s']
    "
  `)
})

test('capabilities that map to the same name are numbered, and names without letters get a generic name', () => {
  const names = ['foo-bar', 'fooBar', 'foo bar 2', '🎉', '✓', '3d', 'constructor', '数える', 'größe']
  const text = typesOf({ ...rich, capabilities: Object.fromEntries(names.map(name => [name, ping])) })
  expect([...text.matchAll(/export type (.*)Input = /g)].map(([, name]) => name)).toEqual([
    'FooBar',
    'FooBar2',
    'FooBar22',
    'Capability',
    'Capability2',
    'Capability3d',
    'Constructor',
    '数える',
    'Größe',
  ])
})

test('the same declaration always gives the same text', () => {
  expect(typesOf(structuredClone(rich))).toBe(typesOf(rich))
})
