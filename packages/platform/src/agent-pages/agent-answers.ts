import type { JsonObject } from '@farebox/protocol/fields/field'

/** The responses of `POST /execute` by status, for an OpenAPI document (interface, "Errors"; D8, D15). */
export function agentAnswers(output: JsonObject): JsonObject {
  return {
    200: {
      description: 'Done and paid',
      headers: {
        'PAYMENT-RESPONSE': { description: 'The settlement, in base64', schema: { type: 'string' } },
      },
      content: json({
        type: 'object',
        required: ['service_version', 'job_id', 'status', 'output', 'completed_at'],
        properties: {
          service_version: { const: '1.0' },
          job_id: { type: 'string' },
          status: { const: 'completed' },
          output,
          completed_at: { type: 'number', description: 'Unix seconds' },
        },
      }),
    },
    400: { description: 'The job or its input is not as declared; nothing is charged', content: FAILURE },
    401: {
      description: "The agent's own secret is missing or was refused; nothing is charged",
      content: FAILURE,
    },
    402: {
      description: 'No payment was sent, or it was refused',
      headers: {
        'PAYMENT-REQUIRED': {
          description: 'The same for x402 clients of version 2, in base64',
          schema: { type: 'string' },
        },
      },
      content: json({ anyOf: [reference('PaymentRequired'), reference('Failure')] }),
    },
    408: { description: 'The deadline has passed; nothing is charged', content: FAILURE },
    500: { description: 'The agent failed; nothing is charged', content: FAILURE },
    503: {
      description:
        'Not known yet whether money moved: repeat the same request with the same header. Or shutting down',
      headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'string' } } },
      content: json({ anyOf: [reference('Pending'), reference('Failure')] }),
    },
  }
}

/** The schemas that every agent's document contains. */
export function agentSchemas(): JsonObject {
  return {
    Health: closed({ name: TEXT, version: { const: '1.0' }, status: { const: 'ok' } }),
    Declaration: {
      type: 'object',
      required: ['service_version', 'name', 'description', 'wallet', 'max_deadline_seconds', 'capabilities'],
      properties: {
        service_version: { const: '1.0' },
        name: TEXT,
        description: TEXT,
        wallet: TEXT,
        max_deadline_seconds: { type: 'number' },
        capabilities: { type: 'object' },
      },
    },
    PaymentRequired: closed({
      x402Version: { const: 1 },
      accepts: {
        type: 'array',
        items: closed({
          scheme: { const: 'exact' },
          network: TEXT,
          maxAmountRequired: { type: 'string', description: 'Atomic units of the asset' },
          asset: TEXT,
          payTo: TEXT,
          extra: { type: 'object' },
        }),
      },
    }),
    Pending: closed({
      status: { const: 'pending' },
      job_id: TEXT,
      error: TEXT,
      service_version: { const: '1.0' },
    }),
    Failure: {
      type: 'object',
      required: ['status', 'error_type', 'error'],
      properties: {
        status: { const: 'failed' },
        error_type: { enum: ['validation', 'capability', 'payment', 'deadline', 'internal'] },
        error: TEXT,
        service_version: { const: '1.0' },
      },
    },
  }
}

const TEXT: JsonObject = { type: 'string' }

const FAILURE = json({ $ref: '#/components/schemas/Failure' })

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties }
}

function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } }
}
