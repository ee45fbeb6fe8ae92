import { isOfHandler } from '../handlers/behaviours.ts'
import { readObject, type ReadAnswer } from './answer-table.ts'

/**
 * Every kind of answer that the agent documents (interface "Errors", D14 to D21), by a name, its status, its
 * `error_type` and the form of its message. When a message is changed or added, its form is changed here: the fuzz
 * reports unknown messages, and kinds that never occurred.
 */
const FAILURES: { readonly [type: string]: readonly RegExp[] } = {
  '400 validation': [
    /^body: must be sent as Content-Type: application\/json$/,
    /^body: must not be empty$/,
    /^body: must be UTF-8$/,
    /^body: must (?:be JSON(?: without a byte order mark)?|not be compressed)$/,
    /^body: must be nested at most \d+ deep$/,
    /^body: must not have a key __proto__, nor constructor with prototype$/,
    /^body: must be a JSON object, got /,
    /^body: too large, at most \d+ bytes$/,
    /^service_version: is required and must be "1\.0"$/,
    /^service_version: must be "1\.0"$/,
    /^job_id: must be a canonical UUID v4/,
    /^task: must be an object, got /,
    /^task\.input: must be an object, got /,
    /^deadline: must be a finite number of Unix seconds, got /,
    /^deadline: must be Unix seconds, this looks like milliseconds$/,
    /: is required$/,
    /: must be an? (?:string|number|integer|boolean|array|object), got /,
    /: must be one of /,
    /: must be at least \d+ characters?, got /,
    /: must be at most \d+ characters?, got /,
    /: must be at least -?\d+, got /,
    /: must be at most -?\d+, got /,
    /: must have at least \d+ items?, got /,
    /: must have at most \d+ items?, got /,
    /: must match the pattern /,
    /: must be a valid /,
  ],
  '400 capability': [/^Unknown capability "/s],
  '401 payment': [/^FACILITATOR_SECRET is missing or was refused by the facilitator$/],
  '402 payment': [
    /^send one payment header, PAYMENT-SIGNATURE, once$/,
    /^the payment header (?:must be base64 of a JSON object|is too long: at most 12000 characters, got \d+)$/,
    /^x402Version must be 2 \(or 1\)$/,
    /^accepted must be an object/,
    /^accepted\.asset must be an address$/,
    /^accepted\.amount must be a decimal string of atomic units$/,
    /^accepted\.payTo must be an address$/,
    /^scheme must be "exact"$/,
    /^network must be "eip155:/,
    /^network eip155:\d+ is not accepted here/,
    /^asset 0x\w+ is not accepted here/,
    /^payload must be an object$/,
    /^payload\.authorization must be an object$/,
    /^authorization\.from must be an address$/,
    /^authorization\.to must be an address$/,
    /^authorization\.value must be a decimal string/,
    /^authorization\.validAfter must be a decimal string/,
    /^authorization\.validBefore must be a decimal string/,
    /^authorization\.nonce must be 32 bytes of hex$/,
    /^extensions\["[^"]+"\]\.salt must be \d+ bytes of hex$/,
    /^payload\.signature must be hex$/,
    /^payload\.signature must be 65 bytes$/,
    /^payload\.signature is longer than 65 bytes: contract wallets are not supported yet/,
    /^the signature (?:is not by authorization\.from|ends with v = [01]: )/,
    /^this job_id is in use by another payer$/,
    /^authorization\.to must be 0x\w+, this pays another wallet$/,
    /^authorization\.value must be exactly \d+ atomic units, got /,
    /^accepted does not agree with what this capability asks now$/,
    /^authorization\.validAfter is not past yet$/,
    /^the authorization has expired: sign a new one$/,
    /^authorization\.validBefore must be at least \d+ s from now/,
    /^authorization\.validBefore must be within 24 h from now$/,
    /^the nonce is bound to a job, but extensions/,
    /^the nonce is bound to (?:another job, or to another address than|the called address, but) /,
    /^this payment was sent for another job/,
    /^the payer has too little$/,
    /^the payment could not be settled \(/,
  ],
  '408 deadline': [/^the deadline has passed$/, /^the handler did not return before the deadline$/],
  '500 internal': [/^Internal error$/, /^the payment could not be verified now, nothing was charged$/],
}

/** Kinds that are not failures. */
const OTHERS = { completed: '200 completed', demand: '402 demand', pending: '503 pending' } as const

/** A failure with a handler's own message. */
const OF_HANDLER = "in the handler's words"
/** A failure of a documented type with a message that is not listed above. */
const UNKNOWN = 'in unknown words'

/** All kinds that must occur, by name. */
export function kindsOfAnswer(): readonly string[] {
  const failures = Object.entries(FAILURES).flatMap(([type, forms]) =>
    forms.map(form => `${type} ${form.source}`),
  )
  const types = Object.keys(FAILURES).filter(type => type !== '401 payment')
  return [...Object.values(OTHERS), ...failures, ...types.map(type => `${type} ${OF_HANDLER}`)]
}

/** The kind of an answer. */
export function kindOfAnswer({ status, text }: ReadAnswer): string {
  const body = readObject(text) ?? {}
  if (status === 200) return OTHERS.completed
  if ('accepts' in body) return OTHERS.demand
  if (body['status'] === 'pending') return OTHERS.pending
  const type = `${status} ${String(body['error_type'])}`
  const error = String(body['error'])
  if (isOfHandler(error)) return `${type} ${OF_HANDLER}`
  const form = FAILURES[type]?.find(form => form.test(error))?.source
  return `${type} ${form ?? `${UNKNOWN}: ${error.replace(/got .*/s, '').slice(0, 80)}`}`
}

/** Whether a kind is not listed. */
export function isUnknownKind(kind: string): boolean {
  return kind.includes(UNKNOWN)
}
