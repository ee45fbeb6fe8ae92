import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { toJsonSchema } from '@farebox/protocol/translation/json-schema'
import type { AgentRow } from '../agents/agent-row.ts'
import { ownersText } from '../listing/owners-text.ts'
import { shownEndpoint } from '../listing/shown-endpoint.ts'
import { agentAnswers, agentSchemas } from './agent-answers.ts'

const MOST_NAME_CHARACTERS = 64
const MOST_DESCRIPTION_CHARACTERS = 1_024

/**
 * The three routes of a listed agent as an OpenAPI 3.1 document, generated from its declaration; `undefined` when the agent
 * is not listed or shows no declaration. The agent does not serve this document itself.
 */
export function agentOpenapi(agent: AgentRow): JsonObject | undefined {
  const { declaration } = agent
  const endpoint = shownEndpoint(agent.endpoint)
  if (agent.standing !== 'listed' || declaration === undefined || endpoint === null) return undefined
  const capabilities = Object.entries(declaration.capabilities)
  return {
    openapi: '3.1.0',
    info: {
      title: ownersText(declaration.name, MOST_NAME_CHARACTERS).text,
      description: ownersText(declaration.description, MOST_DESCRIPTION_CHARACTERS).text,
      version: String(agent.declarationVersion),
    },
    servers: [{ url: endpoint }],
    'x-farebox-agent-id': agent.agentId,
    'x-farebox-wallet': agent.wallet ?? null,
    'x-farebox-prices': Object.fromEntries(capabilities.map(([name, { pricing }]) => [name, { ...pricing }])),
    paths: {
      '/health': { get: readOperation('health', 'Is it alive', 'Health') },
      '/about': { get: readOperation('about', 'Its declaration', 'Declaration') },
      '/execute': { post: executeOperation(declaration) },
    },
    components: {
      schemas: {
        ...agentSchemas(),
        ...Object.fromEntries(
          capabilities.flatMap(([, capability], index) => fieldSchemas(capability, index)),
        ),
      },
    },
  }
}

function readOperation(operationId: string, summary: string, schema: string): JsonObject {
  return {
    operationId,
    summary,
    responses: { 200: { description: 'Always', content: json({ $ref: `#/components/schemas/${schema}` }) } },
  }
}

function executeOperation(declaration: Declaration): JsonObject {
  const capabilities = Object.entries(declaration.capabilities)
  return {
    operationId: 'execute',
    summary: 'Order and pay for a job',
    description:
      'Without a payment header the answer is 402 and names the price. The same request with the header buys the job; ' +
      'repeated with the same job_id it is answered again and not paid again.',
    parameters: [
      {
        name: 'PAYMENT-SIGNATURE',
        in: 'header',
        required: false,
        description: 'An x402 payment made from what the 402 asks for, in base64',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: json(jobSchema(capabilities, declaration)) },
    responses: agentAnswers({
      anyOf: capabilities.map((_, index) => ({
        $ref: `#/components/schemas/${schemaName(index, 'output')}`,
      })),
    }),
    'x-farebox-max-deadline-seconds': declaration.max_deadline_seconds,
  }
}

function jobSchema(capabilities: readonly [string, Capability][], declaration: Declaration): JsonObject {
  return {
    type: 'object',
    required: ['service_version', 'job_id', 'task', 'deadline'],
    properties: {
      service_version: { const: '1.0' },
      job_id: { type: 'string', format: 'uuid', description: 'A UUID of version 4 of your own making' },
      task: { anyOf: capabilities.map(([name, capability], index) => taskSchema(name, capability, index)) },
      deadline: {
        type: 'number',
        description: `Unix seconds; the agent asks for up to ${declaration.max_deadline_seconds} seconds from now`,
      },
    },
  }
}

function taskSchema(name: string, capability: Capability, index: number): JsonObject {
  return {
    type: 'object',
    title: ownersText(name, MOST_NAME_CHARACTERS).text,
    description: ownersText(capability.description, MOST_DESCRIPTION_CHARACTERS).text,
    // A job that names no capability uses the first one.
    required: index === 0 ? ['input'] : ['capability', 'input'],
    properties: {
      capability: { const: name },
      input: { $ref: `#/components/schemas/${schemaName(index, 'input')}` },
    },
    'x-farebox-price': { ...capability.pricing },
    ...(capability.permissions && {
      'x-farebox-permissions': capability.permissions.map(asked => ({ ...asked })),
    }),
  }
}

function fieldSchemas(capability: Capability, index: number): readonly [string, JsonObject][] {
  const { $schema: _input, ...input } = toJsonSchema(capability.input_schema, 'input')
  const { $schema: _output, ...output } = toJsonSchema(capability.output_schema, 'output')
  return [
    [schemaName(index, 'input'), input],
    [schemaName(index, 'output'), output],
  ]
}

/** Numbered, because the name of a component allows fewer characters than the name of a capability. */
function schemaName(index: number, side: 'input' | 'output'): string {
  return `capability_${index + 1}_${side}`
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } }
}
