import type { FlowCheck } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { runRequest, runStarted } from '@farebox/platform-api/flows/runs'
import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { FieldMap, Side } from '@farebox/protocol/fields/field'
import { toJsonSchema } from '@farebox/protocol/translation/json-schema'
import { asSchemaObject, createSchemaWriter, type SchemaObject } from '../../http/json-schema.ts'

/**
 * Describes a flow as one operation: starting a run of it, with its fixed document and its own input schema.
 *
 * @param publicUrl the URL of the platform, without a trailing slash
 */
export function flowOpenapi(
  { flow_id, name, version, flow }: SavedFlow,
  { input_schema, output_schema, price }: FlowCheck,
  publicUrl: string,
): SchemaObject {
  const writer = createSchemaWriter()
  const request = writer.write(REQUEST, 'input', 'RunRequest')
  const started = writer.write(STARTED, 'output', 'RunStarted')
  const description = typeof flow['description'] === 'string' ? flow['description'] : undefined
  return {
    openapi: '3.1.0',
    info: { title: name, ...(description !== undefined && { description }), version: String(version) },
    servers: [{ url: publicUrl }],
    'x-farebox-flow-id': flow_id,
    'x-farebox-price': price,
    paths: {
      '/v1/runs': {
        post: {
          operationId: 'run',
          summary: `Start a run of “${name}”`,
          description:
            'Its jobs are paid one by one, with payments that come with this request or later: ' +
            'POST /v1/runs/quote says what there is to sign, PUT /v1/runs/{runId}/payments brings it. ' +
            'GET /v1/runs/{runId} has the output, as far as it is there.',
          requestBody: {
            required: true,
            content: json({
              ...request,
              required: ['flow', 'flow_id', ...requiredOf(request), 'input'],
              properties: {
                flow: documentSchema(flow),
                flow_id: { const: flow_id },
                ...asSchemaObject(request['properties']),
                input: { $ref: '#/components/schemas/FlowInput' },
              },
            }),
          },
          responses: {
            200: { description: 'The run', content: json(withOutput(started)) },
            default: { description: 'Nothing was started; `error` says why' },
          },
        },
      },
    },
    components: {
      schemas: {
        ...Object.fromEntries(writer.components),
        FlowInput: schemaOf(input_schema, 'input'),
        // A running run has only some of its outputs.
        FlowOutput: { ...schemaOf(output_schema, 'output'), required: [] },
      },
    },
  }
}

function withOutput(started: SchemaObject): SchemaObject {
  return {
    ...started,
    required: [...requiredOf(started), 'output'],
    properties: {
      ...asSchemaObject(started['properties']),
      output: { $ref: '#/components/schemas/FlowOutput' },
    },
  }
}

/**
 * The schema of the flow's document: the document itself as a constant. A document with secret constants is left out,
 * because they must not leave the account.
 */
function documentSchema(document: SavedFlow['flow']): SchemaObject {
  // Safe: the document was validated when it was stored.
  const flow = document as unknown as Flow
  const hasSecrets = Object.values(flow.steps).some(({ secret = [] }) => secret.length > 0)
  return hasSecrets
    ? { type: 'object', description: 'The document of this flow; it has constants that are secret' }
    : { const: document, description: 'The document of this flow' }
}

const REQUEST = runRequest.omit({ flow: true, flow_id: true, input: true })
const STARTED = runStarted.omit({ flow: true, flow_id: true, input: true, output: true })

function requiredOf({ required }: SchemaObject): readonly unknown[] {
  return Array.isArray(required) ? required : []
}

function schemaOf(fields: FieldMap, side: Side): SchemaObject {
  const { $schema: _, ...schema } = toJsonSchema(fields, side)
  return schema
}

function json(schema: SchemaObject): SchemaObject {
  return { 'application/json': { schema } }
}
