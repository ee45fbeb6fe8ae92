import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'

/** Counts the run under this name; `count` tells how many there were. */
const KEY: FieldMap = { key: { type: 'string', default: '' } }

/** Spelled apart: in place, the compiler takes a field called `toString` for the method. */
const REQUIRED_TEXT: Field = { type: 'string', required: true }

/**
 * An agent whose behaviour is known to the kit: what it gets it gives back, and what handlers can do wrong it
 * does on demand. Serve it with `createFixtureHandlers()`; tell the run with `known: { fixture: true }`.
 */
export const fixtureDeclaration: Declaration = {
  service_version: '1.0',
  name: 'Conformance fixture',
  description: 'Does on demand what agents do by accident.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 20,
  capabilities: {
    echo: capability(
      'Gives back the input as the handler got it.',
      '0.002',
      {
        text: { type: 'string', required: true, minLength: 1, maxLength: 20, examples: ['hello'] },
        number: { type: 'number', minimum: -1_000, maximum: 1_000 },
        integer: { type: 'integer' },
        flag: { type: 'boolean' },
        level: { type: 'string', enum: ['low', 'high'] },
        code: { type: 'string', pattern: '^[a-z]{3}$', examples: ['abc'] },
        email: { type: 'string', format: 'email' },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string', required: true, minLength: 1 }, size: { type: 'integer' } },
          },
        },
        options: { type: 'object', properties: { colour: { type: 'string', default: 'red' } } },
        amount: { type: 'integer', default: 3 },
        ...KEY,
      },
      { received: { type: 'object' } },
    ),
    slow: capability(
      'Waits, and stops early when told to, if it heeds that.',
      '0.002',
      {
        ms: { type: 'integer', required: true, minimum: 0, maximum: 10_000, examples: [1] },
        heeds: { type: 'boolean', default: false },
        ...KEY,
      },
      { waited: { type: 'integer' } },
    ),
    block: capability(
      'Keeps the event loop busy.',
      '0.003',
      {
        ms: { type: 'integer', required: true, minimum: 0, maximum: 2_000, examples: [1] },
        ...KEY,
      },
      { blocked: { type: 'integer' } },
    ),
    fail: capability(
      'Throws what it is told to.',
      '0.003',
      {
        kind: { type: 'string', required: true },
        ...KEY,
      },
      { never: { type: 'string' } },
    ),
    violate: capability(
      'Returns what no schema allows.',
      '0.004',
      {
        kind: { type: 'string', required: true },
      },
      { text: { type: 'string' }, size: { type: 'integer' }, note: { type: 'string', required: false } },
    ),
    count: {
      ...capability(
        'Tells how often the handlers ran for a key.',
        '0.001',
        { key: { type: 'string', required: true } },
        {
          runs: { type: 'integer' },
          aborted: { type: 'integer' },
        },
      ),
      permissions: [
        {
          type: 'EXECUTE_TRANSACTIONS',
          reason: 'Shows that it is served.',
          token: 'USDC',
          max_per_transaction: '1',
        },
      ],
    },
    odd: capability(
      'Takes fields called like what every object has.',
      '0.01',
      {
        toString: REQUIRED_TEXT,
        constructor: REQUIRED_TEXT,
      },
      { taken: { type: 'boolean' } },
    ),
  },
}

function capability(description: string, amount: string, input: FieldMap, output: FieldMap): Capability {
  return {
    description,
    pricing: { model: 'per_job', amount, currency: 'USDC' },
    input_schema: input,
    output_schema: output,
  }
}
