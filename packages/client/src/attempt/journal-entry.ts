import { readJobRequest, jobIdKey } from '@farebox/protocol/job/job-request'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { parseAnswerJson } from '../exchange/parse-json.ts'

/**
 * A job and its payment, as journalled before they are first sent, and as repeated later: plain JSON. The two always belong
 * together. The header is as valuable as a signed cheque: store it as securely as keys.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises'
 * import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
 *
 * // For `journal` of `execute`.
 * export async function keep(entry: JournalEntry): Promise<void> {
 *   await writeFile(`${entry.jobId}.json`, JSON.stringify(entry), { mode: 0o600, flush: true })
 * }
 *
 * // For `resume`.
 * export async function find(jobId: string): Promise<JournalEntry> {
 *   return JSON.parse(await readFile(`${jobId}.json`, 'utf8'))
 * }
 * ```
 */
export interface JournalEntry {
  /** Base URL without a trailing slash. */
  readonly agentUrl: string
  readonly jobId: string
  readonly capability: string
  /** The exact bytes of the request body. */
  readonly body: string
  /** The exact value of `PAYMENT-SIGNATURE`. */
  readonly header: string
}

/** A journal entry that was read, with the contents of its header and body. */
export interface ReadEntry {
  readonly entry: JournalEntry
  readonly network: Network
  readonly authorization: Authorization
  /** Unix seconds. */
  readonly deadline: number
}

/**
 * Reads an entry that was stored by the caller.
 *
 * @throws {TypeError} when this package did not write the entry; names the faulty part, never its value
 */
export function readJournalEntry(entry: JournalEntry): ReadEntry {
  if (!isObject(entry)) throw new TypeError('journal entry: must be an object')
  for (const key of ['agentUrl', 'jobId', 'capability', 'body', 'header'] as const) {
    if (typeof entry[key] !== 'string') throw new TypeError(`journal entry: ${key} must be a string`)
  }
  const job = readJobRequest(parseAnswerJson(entry.body))
  if (!job.ok) throw new TypeError(`journal entry: body is not a job request, ${job.field}: ${job.reason}`)
  if (jobIdKey(job.request.job_id) !== jobIdKey(entry.jobId)) {
    throw new TypeError('journal entry: body is of another job than jobId')
  }
  const decoded = decodePaymentHeader(entry.header)
  if (!decoded.ok) throw new TypeError(`journal entry: header: ${decoded.reason}`)
  const { network: networkId, authorization } = decoded.payment
  const network = findNetwork(networkId)
  if (network === undefined) throw new TypeError(`journal entry: header: network ${networkId} is not known`)
  return { entry, network, authorization, deadline: job.request.deadline }
}
