import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { platformRoutes } from '../create-platform.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { asSchemaObject, type SchemaObject } from '../http/json-schema.ts'
import { openapiDocument } from './openapi-document.ts'
import { defineRoute, type Route } from '../http/route.ts'

let stage: Stage
let routes: readonly Route[]
beforeAll(async () => {
  stage = await stagePlatform({ settings: { operatorToken: 'an-operator-token-of-tests' } })
  routes = platformRoutes(stage.parts)
})
afterAll(async () => await stage.close())

const tree = z.strictObject({ leaf: z.json() })
const named = z.object({ name: z.string().describe('What it is called') }).meta({ id: 'Named' })

const sample = [
  defineRoute({
    method: 'PUT',
    path: '/v1/me/things/:thingId',
    summary: 'Changes a thing',
    access: 'owner',
    params: z.object({ thingId: z.coerce.number().int().positive() }),
    query: z.object({ loud: z.enum(['yes', 'no']).default('no'), at: z.string() }),
    body: z.object({ named, more: z.array(named).optional() }),
    belongsTo: 'account',
    answers: {
      200: { description: 'Changed', schema: z.strictObject({ named, tree }) },
      204: { description: 'Same' },
    },
    handle: async () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/trees',
    summary: 'A tree',
    access: 'public',
    answers: { 200: { description: 'It', schema: tree } },
    handle: async () => ({}),
  }),
]

async function problemsOf(document: SchemaObject): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
  return valid ? undefined : errors
}

test('the document is valid OpenAPI 3.1, also with named and recursive schemas', async () => {
  const document = openapiDocument(sample, 'https://platform.example')
  expect(await problemsOf(document)).toBeUndefined()
  expect(danglingReferences(document)).toEqual([])
})

test('a route is described as it is validated: closed, with parameters, access and the error envelope', () => {
  const { paths } = openapiDocument(sample, 'https://platform.example')
  const route = asSchemaObject(asSchemaObject(asSchemaObject(paths)['/v1/me/things/{thingId}'])['put'])
  expect(route).toMatchObject({
    operationId: 'putMeThingsByThingId',
    security: [{ session: [] }, { sessionToken: [] }],
    parameters: [
      { name: 'thingId', in: 'path', required: true, schema: { type: 'integer', exclusiveMinimum: 0 } },
      { name: 'loud', in: 'query', required: false, schema: { default: 'no' } },
      { name: 'at', in: 'query', required: true },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { additionalProperties: false } } },
    },
    responses: { 204: { description: 'Same' }, default: { $ref: '#/components/responses/Failure' } },
  })
  const [, answer] = [0, asSchemaObject(asSchemaObject(route['responses'])['200'])]
  // Answer schemas are open, because answers may gain fields.
  expect(JSON.stringify(answer)).not.toContain('additionalProperties":false')
})

describe('the platform’s own document', () => {
  test('is valid OpenAPI 3.1, and every reference in it can be resolved', async () => {
    const document = openapiDocument(routes, stage.parts.settings.publicUrl)
    expect(await problemsOf(document)).toBeUndefined()
    expect(danglingReferences(document)).toEqual([])
  })

  test('has every route once, with a unique operation id', () => {
    const { paths } = openapiDocument(routes, stage.parts.settings.publicUrl)
    const told = Object.entries(asSchemaObject(paths)).flatMap(([path, methods]) =>
      Object.keys(asSchemaObject(methods)).map(method => `${method.toUpperCase()} ${path}`),
    )
    const written = routes.map(route => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(told.toSorted()).toEqual(written.toSorted())
    const names = Object.values(asSchemaObject(paths)).flatMap(methods =>
      Object.values(asSchemaObject(methods)).map(route => asSchemaObject(route)['operationId']),
    )
    expect(new Set(names).size).toBe(routes.length)
  })
})

function danglingReferences(document: SchemaObject): readonly string[] {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to)
  return references.filter(to => {
    const target = to
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((at, key) => asSchemaObject(at)[key], document)
    return target === undefined
  })
}
