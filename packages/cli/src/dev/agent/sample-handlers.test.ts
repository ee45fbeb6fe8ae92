import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { createTestAgent } from 'farebox/testing'
import { expect, test } from 'vitest'
import { fillWithSamples } from './describe-samples.ts'

function declare(outputs: { readonly [capability: string]: FieldMap }): Declaration {
  const capabilities = Object.entries(outputs).map(([name, output]) => [
    name,
    {
      description: '',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: {},
      output_schema: output,
    },
  ])
  return {
    service_version: '1.0',
    name: 'Samples',
    description: '',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 5,
    capabilities: Object.fromEntries(capabilities) as Declaration['capabilities'],
  }
}

const DECLARATION = declare({
  count: { words: { type: 'integer', minimum: 3 }, frequent: { type: 'array', items: { type: 'string' } } },
  odd: { n: { type: 'integer', minimum: 0.2, maximum: 0.8 } },
})

test('without a handler file, every capability is answered with a sample of its output schema', () => {
  const { handlers, sampled } = fillWithSamples(DECLARATION, undefined)
  expect(sampled).toEqual(['count', 'odd'])
  expect(Object.keys(handlers as object)).toEqual(['count', 'odd'])
})

test('only missing handlers are replaced by samples; invalid ones still fail', () => {
  const count = (): object => ({})
  expect(fillWithSamples(DECLARATION, { count, surplus: 5 })).toEqual({
    handlers: { count, surplus: 5, odd: expect.any(Function) },
    sampled: ['odd'],
  })
  expect(fillWithSamples(DECLARATION, count)).toEqual({ handlers: count, sampled: [] })
  expect(fillWithSamples(DECLARATION, { count: 'no function' }).sampled).toEqual(['odd'])
})

test('a served sample passes the output check; if no sample can be made, the field is named', async () => {
  const { handlers } = fillWithSamples(DECLARATION, undefined)
  const agent = createTestAgent({ declaration: DECLARATION, handlers: handlers as never })
  expect(await agent.call('count', {})).toEqual({ words: 3, frequent: ['text'] })
  await expect(agent.call('odd', {})).rejects.toThrow(
    'no sample of odd: n: no sample could be made, it needs "examples"',
  )
})
