import { Validator } from '@seriousme/openapi-schema-validator'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { expect, test } from 'vitest'
import type { AgentRow } from '../agents/agent-row.ts'
import { agentOpenapi } from './agent-openapi.ts'

test('an agent is described as an OpenAPI 3.1 document with exactly its three routes', async () => {
  const document = agentOpenapi(
    agent({ text: { type: 'string', required: true, maxLength: 100, format: 'uri' } }),
  )
  await expectValid(document)
  expect(Object.keys(at(document, 'paths'))).toEqual(['/health', '/about', '/execute'])
  expect(at(document, 'servers', '0')).toEqual({ url: 'https://agent.example' })
})

test('input and output are described as JSON Schema, with the prices', async () => {
  const document = agentOpenapi(agent({ text: { type: 'string', required: true } }))
  expect(at(document, 'components', 'schemas', 'capability_1_input')).toEqual({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  })
  expect(document?.['x-farebox-prices']).toEqual({
    'räume & mehr': { model: 'per_job', amount: '0.01', currency: 'USDC' },
    second: { model: 'per_job', amount: '0.01', currency: 'USDC' },
  })
})

test('every answer of the interface and the payment header are described', () => {
  const execute = at(agentOpenapi(agent({})), 'paths', '/execute', 'post')
  expect(Object.keys(at(execute, 'responses'))).toEqual(['200', '400', '401', '402', '408', '500', '503'])
  expect(at(execute, 'parameters', '0')).toMatchObject({
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    required: false,
  })
})

test.each<[string, FieldMap]>([
  ['no fields', {}],
  [
    'nested fields',
    { rows: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } } },
  ],
  [
    'hostile names',
    {
      'on click="x()"': { type: 'string' },
      'a/b~c': { type: 'boolean' },
      constructor: { type: 'number' as const },
    },
  ],
  [
    'patterns and lists',
    { code: { type: 'string', pattern: '^[a-z]+$', enum: ['a', 'b'], examples: ['a'] } },
  ],
])('the document is valid with %s', async (_, fields) => {
  await expectValid(agentOpenapi(agent(fields)))
})

test('an agent without a published declaration has no document', () => {
  expect(agentOpenapi({ ...agent({}), standing: 'provisional', declaration: undefined })).toBeUndefined()
  expect(agentOpenapi({ ...agent({}), standing: 'taken-down' })).toBeUndefined()
})

function agent(fields: FieldMap): AgentRow {
  const wallet = `0x${'ab'.repeat(20)}`
  const capability = {
    description: 'Does \u202eit',
    pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
    input_schema: fields,
    output_schema: fields,
  } as const
  const declaration: Declaration = {
    service_version: '1.0',
    name: 'An agent',
    description: 'Does it',
    wallet,
    max_deadline_seconds: 10,
    capabilities: { 'räume & mehr': capability, second: capability },
  }
  return {
    agentId: 1,
    endpointOnChain: 'https://agent.example',
    endpoint: 'https://agent.example',
    owner: wallet,
    endpointBy: wallet,
    stakeWei: 1n,
    registeredBlock: 1,
    registeredTransaction: '0x',
    registeredAtMs: 0,
    standing: 'listed',
    standingReason: undefined,
    standingSinceMs: 0,
    declaration,
    declarationVersion: 3,
    name: 'An agent',
    description: 'Does it',
    wallet,
    provenWallet: wallet,
    refreshedAtMs: 0,
    nextRefreshAtMs: 0,
    inspectedAtMs: 0,
    inspectionProblem: undefined,
    isOffline: false,
    paymentProblem: undefined,
    paymentProblemSinceMs: undefined,
    badge: 'none',
    badgeShown: 'none',
    category: undefined,
  }
}

async function expectValid(document: JsonObject | undefined): Promise<void> {
  const result = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
}

function at(value: unknown, ...path: readonly string[]): Record<string, unknown> {
  let part = value
  for (const key of path) part = Object(part)[key]
  return Object(part)
}
