import { createHash, createHmac } from 'node:crypto'
import type { JsonValue } from '@farebox/protocol/fields/field'

/**
 * What a hire is kept under, within its job: named by its key, else by the number of its call, and by who pays for the
 * job, so that nobody gets what another's job has bought under the same job_id.
 *
 * @param payer lower-case address; undefined in dev mode
 */
export function entryName(payer: string | undefined, key: string | undefined, call: number): string {
  const name = key === undefined ? `hire ${call}` : `hire key ${sha256(key)}`
  return `${name} for ${payer ?? 'dev'}`
}

/**
 * The job_id of a hire: each run of the parent job makes the same one. Nobody else can guess it and order the job
 * first, because the hiring key goes into it.
 *
 * @param secret the hiring key; empty in dev mode
 * @param jobKey of the parent, which has its job_id and its agent in it
 * @param name of its entry, which has who pays in it
 * @returns a canonical UUID v4 in form: 122 bits of the hash
 */
export function childJobId(secret: string, jobKey: string, name: string): string {
  const bytes = createHmac('sha256', `hire ${secret}`).update(`${jobKey}\n${name}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Tells one order from another: the same for the same agent, capability and input, in whatever order its keys come. */
export function digestOrder(agentUrl: string, capability: string, input: JsonValue): string {
  return sha256(JSON.stringify([agentUrl, capability, canonical(input)]))
}

function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  // As pairs: an object would put keys that look like numbers first anyway, but `__proto__` nowhere.
  return entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, at]) => [key, canonical(at)])
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
