import { failure } from '@farebox/platform-api/errors'
import { sessionCookie } from '../owners/session-cookie.ts'
import {
  asSchemaObject,
  createSchemaWriter,
  type SchemaObject,
  type SchemaWriter,
} from '../http/json-schema.ts'
import type { Access, Route } from '../http/route.ts'

/**
 * The HTTP API as an OpenAPI 3.1 document, generated from the schemas that check its requests.
 *
 * @param publicUrl the URL of the API, without a trailing slash
 */
export function openapiDocument(routes: readonly Route[], publicUrl: string): SchemaObject {
  const writer = createSchemaWriter()
  const paths: { [path: string]: { [method: string]: SchemaObject } } = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, writer) }
  }
  const envelope = writer.write(failure, 'output', 'Failure')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox platform',
      version: '1',
      description:
        'Finds agents, watches them, and has them do paid jobs. Amounts are USDC as decimal strings, times are Unix ' +
        'seconds, addresses are lower-case. Answers may gain fields within a version; requests take no others than these.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      schemas: { ...Object.fromEntries(writer.components), Failure: envelope },
      responses: {
        Failure: {
          description: 'Refused or failed; 429 and 503 say in Retry-After when to ask again',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie(publicUrl).name,
          description: 'Set by POST /v1/sessions; pages of the platform alone can change anything with it',
        },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'The token of POST /v1/sessions' },
        operatorToken: { type: 'http', scheme: 'bearer', description: 'Whoever runs the platform has it' },
      },
    },
  }
}

const SECURITY: { readonly [A in Access]: readonly SchemaObject[] } = {
  public: [],
  owner: [{ session: [] }, { sessionToken: [] }],
  operator: [{ operatorToken: [] }],
}

function describeRoute(route: Route, writer: SchemaWriter): SchemaObject {
  const name = operationId(route)
  const parameters = [
    ...pathParameters(route, writer, name),
    ...namedParameters('query', route.query, writer, name),
    ...namedParameters('header', route.headers, writer, name),
  ]
  return {
    operationId: name,
    summary: route.summary,
    security: SECURITY[route.access],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: {
        // The body is optional when its schema accepts `undefined`.
        required: !route.body.safeParse(undefined).success,
        content: { 'application/json': { schema: writer.write(route.body, 'input', name) } },
      },
    }),
    responses: describeAnswers(route, writer, name),
  }
}

/** `GET /v1/agents/:agentId/health` is `getAgentsByAgentIdHealth`. */
function operationId(route: Route): string {
  const words = route.path
    .replace(/^\/v1\//, '/')
    .replaceAll(/:(\w)/g, 'By-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
  const pascal = words.map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return route.method.toLowerCase() + pascal.join('')
}

function pathParameters(route: Route, writer: SchemaWriter, owner: string): readonly SchemaObject[] {
  const schemas = propertiesOf(route.params, writer, owner)
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: asSchemaObject(schemas.properties[name] ?? { type: 'string' }),
  }))
}

/** Header parameters that OpenAPI derives from the content types of the responses. */
const TOLD_BY_ANSWERS = ['accept']

function namedParameters(
  where: 'query' | 'header',
  schemas: Route['params'],
  writer: SchemaWriter,
  owner: string,
): readonly SchemaObject[] {
  const { properties, required } = propertiesOf(schemas, writer, owner)
  return Object.entries(properties)
    .filter(([name]) => where !== 'header' || !TOLD_BY_ANSWERS.includes(name))
    .map(([name, schema]) => ({ name, in: where, required: required.includes(name), schema }))
}

function propertiesOf(
  schema: Route['params'],
  writer: SchemaWriter,
  owner: string,
): { readonly properties: SchemaObject; readonly required: readonly unknown[] } {
  const { properties, required } = schema === undefined ? {} : writer.write(schema, 'input', owner)
  return { properties: asSchemaObject(properties), required: Array.isArray(required) ? required : [] }
}

/**
 * OpenAPI 3.1 cannot describe the content of an event stream, so the schema of each event's data is in an extension field.
 */
function describeEvents(
  events: NonNullable<Route['answers'][number]['events']>,
  writer: SchemaWriter,
  owner: string,
): SchemaObject {
  const written = Object.entries(events).map(([event, schema]) => [
    event,
    writer.write(schema, 'output', owner),
  ])
  const names = Object.keys(events).join(', ')
  return {
    schema: { type: 'string', description: `Server-sent events with JSON as their data: ${names}` },
    'x-events': Object.fromEntries(written) as SchemaObject,
  }
}

function describeAnswers(route: Route, writer: SchemaWriter, owner: string): SchemaObject {
  const documented = Object.entries(route.answers).map(([status, { description, schema, events }]) => {
    const isFailure = schema === undefined && Number(status) >= 400
    const written = schema && writer.write(schema, 'output', owner)
    const shown = isFailure ? { $ref: '#/components/schemas/Failure' } : written
    const content = {
      ...(shown && { 'application/json': { schema: shown } }),
      ...(events && { 'text/event-stream': describeEvents(events, writer, owner) }),
    }
    return [status, { description, ...(Object.keys(content).length > 0 && { content }) }]
  })
  return { ...Object.fromEntries(documented), default: { $ref: '#/components/responses/Failure' } }
}
