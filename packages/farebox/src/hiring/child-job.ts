import { createHash, createHmac } from 'node:crypto'
import type { JsonValue } from '@farebox/protocol/fields/field'

/**
 * The name of a hire's entry in its job's account. It contains the key, or else the number of the call, and the payer
 * of the job, so that no payer gets output that another payer's job bought under the same job_id.
 *
 * @param payer lower-case address; undefined in dev mode
 */
export function entryName(payer: string | undefined, key: string | undefined, call: number): string {
  const name = key === undefined ? `hire ${call}` : `hire key ${sha256(key)}`
  return `${name} for ${payer ?? 'dev'}`
}

/**
 * The job_id of a hire, the same in each run of the parent job. Other callers cannot guess it and order the job first,
 * because it is derived from the hiring key.
 *
 * @param secret the hiring key; empty in dev mode
 * @param jobKey of the parent; it contains the parent's job_id and its agent
 * @param name of the entry; it contains the payer
 * @returns a canonical UUID v4 in form: 122 bits of the hash
 */
export function childJobId(secret: string, jobKey: string, name: string): string {
  const bytes = createHmac('sha256', `hire ${secret}`).update(`${jobKey}\n${name}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A hash of agent, capability and input, independent of the order of the input's keys. */
export function digestOrder(agentUrl: string, capability: string, input: JsonValue): string {
  return sha256(JSON.stringify([agentUrl, capability, canonical(input)]))
}

function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  // Arrays of pairs: an object would sort keys that look like numbers first, and lose `__proto__`.
  return entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, at]) => [key, canonical(at)])
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
