import { Ajv2020 } from 'ajv/dist/2020.js'

/** The documented kinds of answer (interface, "Errors"; D2, D8, D11, D15, D32): the body that each status may have. */
export type ErrorType = 'validation' | 'capability' | 'payment' | 'deadline' | 'internal'

/** An answer as received. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const TEXT = { type: 'string' }
const VERSION = { service_version: { const: '1.0' } }
const SECRET_REFUSED = 'FACILITATOR_SECRET is missing or was refused by the facilitator'

const PENDING = objectOf({ ...VERSION, status: { const: 'pending' }, job_id: TEXT, error: TEXT })
const DEMANDED = objectOf({
  ...anythingAt('asset', 'maxAmountRequired', 'network', 'payTo', 'scheme'),
  extra: objectOf(anythingAt('description', 'name')),
})
const DEMAND = objectOf({
  x402Version: { const: 1 },
  accepts: { type: 'array', minItems: 1, items: DEMANDED },
})
const COMPLETED = objectOf({
  ...VERSION,
  status: { const: 'completed' },
  job_id: TEXT,
  ...anythingAt('output'),
  completed_at: { type: 'integer' },
})

/** The JSON Schema of the body of each status. */
const BODIES: { readonly [status: number]: object } = {
  200: COMPLETED,
  400: failureOf(['validation', 'capability']),
  401: failureOf(['payment'], { const: SECRET_REFUSED }),
  402: { anyOf: [DEMAND, failureOf(['payment'])] },
  404: failureOf(['validation']),
  405: failureOf(['validation']),
  408: failureOf(['deadline']),
  431: failureOf(['validation']),
  500: failureOf(['internal']),
  503: { anyOf: [PENDING, failureOf(['internal'])] },
}
const ajv = new Ajv2020({ strict: false })

/** An object with these keys and no other. */
function objectOf(properties: object): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function anythingAt(...keys: readonly string[]): object {
  return Object.fromEntries(keys.map(key => [key, {}]))
}

function failureOf(types: readonly ErrorType[], error: object = TEXT): object {
  return objectOf({ ...VERSION, status: { const: 'failed' }, error_type: { enum: types }, error })
}

/** The deviation of an answer from the table, in words; undefined if there is none. */
export function refuseAnswer(answer: ReadAnswer): string | undefined {
  return refuseHeaders(answer) ?? refuseBody(answer) ?? refuseDemand(answer)
}

function refuseHeaders({ headers, status }: ReadAnswer): string | undefined {
  const wanted = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (headers.get(name) !== value) return `header ${name} is ${headers.get(name)}, not ${value}`
  }
  if (status === 405 && headers.get('allow') === null) return '405 without Allow'
  if (status === 503 && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) return '503 without Retry-After'
  return undefined
}

/** The deviation of the body from the schema of its status. */
export function refuseBody({ status, text }: ReadAnswer): string | undefined {
  const schema = BODIES[status]
  if (schema === undefined) return `${status} is no documented status`
  return ajv.validate(schema, readObject(text)) ? undefined : `${status} with a body: ${ajv.errorsText()}`
}

/** The x402 v2 form of a demand, in its header. */
function refuseDemand({ headers, text }: ReadAnswer): string | undefined {
  if (readObject(text)?.['accepts'] === undefined) return undefined
  const header = headers.get('payment-required') ?? ''
  if (header === '' || header.length >= 5_000) return `PAYMENT-REQUIRED has ${header.length} characters`
  const required = readObject(Buffer.from(header, 'base64').toString('utf8'))
  return required?.['x402Version'] === 2 ? undefined : 'PAYMENT-REQUIRED is no x402 v2 object'
}

/** A JSON object, or undefined. */
export function readObject(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return value as { readonly [key: string]: unknown }
  } catch {
    return undefined
  }
}
