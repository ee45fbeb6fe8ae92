/** The documented kinds of answer (interface, "Errors"; D2, D8, D11, D15, D32): which status may carry which body. */
export type ErrorType = 'validation' | 'capability' | 'payment' | 'deadline' | 'internal'

/** An answer as it was read off the wire. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A status may be answered with these types in a failure body, and no other. */
const TYPES_OF_STATUS: { readonly [status: number]: readonly ErrorType[] } = {
  400: ['validation', 'capability'],
  401: ['payment'],
  402: ['payment'],
  404: ['validation'],
  405: ['validation'],
  408: ['deadline'],
  500: ['internal'],
  503: ['internal'],
}

const FAILURE_KEYS = 'error,error_type,service_version,status'
const SUCCESS_KEYS = 'completed_at,job_id,output,service_version,status'
const PENDING_KEYS = 'error,job_id,service_version,status'
const DEMAND_KEYS = 'accepts,x402Version'
const ACCEPT_KEYS = 'asset,extra,maxAmountRequired,network,payTo,scheme'
const SECRET_REFUSED = 'FACILITATOR_SECRET is missing or was refused by the facilitator'

/** What of an answer is not in the table, in words; undefined where all of it is. */
export function refuseAnswer(answer: ReadAnswer): string | undefined {
  return refuseHeaders(answer) ?? refuseBody(answer)
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

function refuseBody({ status, text, headers }: ReadAnswer): string | undefined {
  const body = readObject(text)
  if (body === undefined) return 'the body is not a JSON object'
  const keys = keysOf(body)
  if (status === 200) return refuseSuccess(keys, body)
  if (status === 402 && keys === DEMAND_KEYS) return refuseDemand(body, headers)
  if (status === 503 && keys === PENDING_KEYS)
    return body['status'] === 'pending' && body['service_version'] === '1.0'
      ? undefined
      : 'a pending body says otherwise'
  if (keys !== FAILURE_KEYS) return `the keys are ${keys}`
  if (body['status'] !== 'failed' || body['service_version'] !== '1.0') return 'a failure body says otherwise'
  const type = body['error_type']
  const known = TYPES_OF_STATUS[status]
  if (known === undefined) return `${status} is no documented status`
  if (!known.some(one => one === type)) return `${status} with error_type ${String(type)}`
  if (typeof body['error'] !== 'string') return 'error is no text'
  if (status === 401 && body['error'] !== SECRET_REFUSED) return '401 with another message'
  return undefined
}

function refuseSuccess(keys: string, body: { readonly [key: string]: unknown }): string | undefined {
  if (keys !== SUCCESS_KEYS) return `the keys of a 200 are ${keys}`
  if (body['status'] !== 'completed' || body['service_version'] !== '1.0')
    return 'a 200 that is not completed'
  return Number.isSafeInteger(body['completed_at']) ? undefined : 'completed_at is no whole number of seconds'
}

function refuseDemand(body: { readonly [key: string]: unknown }, headers: Headers): string | undefined {
  const { accepts, x402Version } = body
  if (x402Version !== 1 || !Array.isArray(accepts) || accepts.length === 0)
    return 'a 402 that demands nothing'
  for (const entry of accepts) {
    if (keysOf(entry) !== ACCEPT_KEYS || keysOf(entry.extra) !== 'description,name')
      return 'accepts has other keys'
  }
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

function keysOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.keys(value).sort().join() : ''
}
