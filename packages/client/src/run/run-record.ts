import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { runPayment, runRequest, type RunPayment } from '@farebox/platform-api/flows/runs'
import { readAgentUrl } from '../agent/agent-url.ts'
import type { Connection } from '../exchange/client-options.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { parseAnswerJson } from '../exchange/parse-json.ts'
import { readAuthorization } from './spending.ts'

/** Identifies a run and gives access to it. */
export interface RunHandle {
  /** Base URL. */
  readonly platformUrl: string
  /** UUID. */
  readonly runId: string
  /** Its holder may read and control the run. Never log it. */
  readonly token?: string
  /** The token of a session at the platform in which the payer of the run is signed in: it opens the run too. */
  readonly session?: string
}

/**
 * A run as journalled before any of it is sent, and again before each payment that is signed later: plain JSON, complete
 * each time. The payments in it are as valuable as signed cheques: store it as securely as keys.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises'
 * import type { RunRecord } from '@farebox/client/run/run-record'
 *
 * // For `journal` of `runFlow`.
 * export async function keep(record: RunRecord): Promise<void> {
 *   await writeFile(`${record.runId}.json`, JSON.stringify(record), { mode: 0o600, flush: true })
 * }
 *
 * // For `resumeRun`.
 * export async function find(runId: string): Promise<RunRecord> {
 *   return JSON.parse(await readFile(`${runId}.json`, 'utf8'))
 * }
 * ```
 */
export interface RunRecord extends Omit<RunHandle, 'session'> {
  /**
   * The exact bytes of the request that starts the run, with the payments signed before it. Absent when the run was resumed
   * by its handle alone.
   */
  readonly request?: string
  /** The payments signed later. */
  readonly payments: readonly RunPayment[]
}

/** The contents of a record's request. */
export interface RecordedRun {
  readonly flow: Flow
  /** Decimal USDC. */
  readonly maxTotal: string
  /** All payments ever signed, in order. */
  readonly payments: readonly RunPayment[]
}

/**
 * Reads a record that was stored by the caller. Undefined when it has no request.
 *
 * @throws {TypeError} when this package did not write it; names the faulty part, never its value
 */
export function readRunRecord(record: RunRecord): RecordedRun | undefined {
  const later = runPayment.array().safeParse(record.payments)
  if (!later.success) throw new TypeError('run record: payments must be signed payments')
  later.data.forEach(({ payment }) => readAuthorization(payment))
  if (record.request === undefined) return undefined
  if (typeof record.request !== 'string') throw new TypeError('run record: request must be a string')
  const request = runRequest.safeParse(parseAnswerJson(record.request))
  if (!request.success) throw new TypeError('run record: request does not start a run')
  const { run_id: runId, max_total: maxTotal, flow, payments } = request.data
  if (runId !== record.runId) throw new TypeError('run record: request is of another run than runId')
  payments.forEach(({ payment }) => readAuthorization(payment))
  const read = readFlow(flow)
  if (!read.ok) throw new TypeError('run record: request has no flow that can be read')
  return { flow: read.flow, maxTotal, payments: [...payments, ...later.data] }
}

/**
 * Reads a handle that was stored by the caller.
 *
 * @throws {TypeError} when it is invalid, or its URL cannot be a platform's
 */
export function readHandle(run: RunHandle, connection: Connection): RunHandle {
  if (!isObject(run)) throw new TypeError('run: must be an object')
  for (const key of ['platformUrl', 'runId'] as const)
    if (typeof run[key] !== 'string') throw new TypeError(`run: ${key} must be a string`)
  // Both are sent in headers.
  for (const key of ['token', 'session'] as const) {
    const text: unknown = run[key]
    if (text !== undefined && (typeof text !== 'string' || !/^[\x21-\x7e]{1,500}$/.test(text)))
      throw new TypeError(`run: ${key} is none`)
  }
  const { platformUrl, runId, token, session } = run
  return {
    // The options of this call decide whether the URL is allowed.
    platformUrl: readPlatformUrl(platformUrl, connection),
    runId,
    ...(token !== undefined && { token }),
    ...(session !== undefined && { session }),
  }
}

/** The URL of a run. */
export function runUrl({ platformUrl, runId }: RunHandle, path = ''): string {
  return `${platformUrl}/v1/runs/${encodeURIComponent(runId)}${path}`
}

/** The headers that open the run. */
export function runRequestHeaders({ token, session }: RunHandle): { readonly [name: string]: string } {
  return {
    ...(token !== undefined && { 'run-token': token }),
    ...(session !== undefined && { authorization: `Bearer ${session}` }),
  }
}

/** {@link readAgentUrl} with error messages for a platform. */
export function readPlatformUrl(url: string, connection: Connection): string {
  try {
    return readAgentUrl(url, connection)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new TypeError(cause.message.replace(/^agent URL/, 'platform URL'), { cause })
  }
}
