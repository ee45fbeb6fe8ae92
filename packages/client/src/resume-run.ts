import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { connectionOf, type Connection } from './exchange/client-options.ts'
import { PlatformRefused } from './exchange/platform-errors.ts'
import { changeRun, readWhole } from './run/change-run.ts'
import { followRun, type FollowedRun } from './run/follow-run.ts'
import { findRunJob } from './run/judge-run.ts'
import { openRun } from './run/open-run.ts'
import type { FlowResult, FollowOptions } from './run/run-options.ts'
import {
  readHandle,
  readRunRecord,
  type RecordedRun,
  type RunHandle,
  type RunRecord,
} from './run/run-record.ts'
import { startRun } from './run/start-run.ts'

/** How a run is resumed. */
export interface ResumeRunOptions extends FollowOptions {
  /**
   * The most that may be signed for in total, earlier signatures included; default: the limit that the run was started with.
   */
  readonly maxTotal?: string
}

/**
 * Resumes a run after a crash, an abort or an error, and follows it to its end as `runFlow` does. With a record it is
 * started again, which is the same run, and signed payments that never arrived are sent; with a handle alone the flow is
 * read from the platform. A paused run is continued. A failed step is requested again: with the same payment while it is
 * valid, otherwise with a new one once the old one can never be charged.
 *
 * @throws {TypeError} for anything but a record or a handle, or when its URL is not allowed
 * @throws {PlatformRefused} when the run does not exist or the handle does not open it
 * @throws {StepFailed | PersonNeeded | PaymentNeeded | RunStopped | RunUnresolved} as `runFlow` does
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { resumeRun } from '@farebox/client/resume-run'
 *
 * const { output, paid } = await resumeRun(JSON.parse(await readFile('run.json', 'utf8')))
 * console.log(output, paid)
 * ```
 */
export async function resumeRun(
  run: RunHandle | RunRecord,
  options: ResumeRunOptions = {},
): Promise<FlowResult> {
  const connection = connectionOf(options)
  const handle = readHandle(run, connection)
  const record: Pick<RunRecord, 'request' | 'payments'> = 'payments' in run ? run : { payments: [] }
  const recorded = 'payments' in run ? readRunRecord(run) : undefined
  connection.signal?.throwIfAborted()
  const found = await find(connection, handle, record.request, recorded)
  const { flow, payments = record.payments } = found
  const maxTotal = options.maxTotal ?? found.maxTotal
  const opened = openRun(connection, { handle: found.handle, flow, maxTotal, payments, record }, options)
  return await followRun(opened, await goOn(opened, found.progress))
}

interface Found extends Omit<RecordedRun, 'payments'> {
  readonly handle: RunHandle
  readonly progress: RunProgress
  readonly payments?: RecordedRun['payments']
}

async function find(
  connection: Connection,
  handle: RunHandle,
  request: string | undefined,
  recorded: RecordedRun | undefined,
): Promise<Found> {
  if (recorded !== undefined && request !== undefined)
    return { ...recorded, ...(await startRun(connection, handle, request)) }
  const { flow, ...progress } = await readWhole(connection, handle)
  return { handle, progress, flow: asFlow(flow), maxTotal: progress.max_total }
}

function asFlow(document: unknown): Flow {
  const read = readFlow(document)
  if (read.ok) return read.flow
  throw new TypeError('the flow of the run is none that can be read here')
}

/** Continues a paused run and requests each failed job again; refused requests are skipped. */
async function goOn(run: FollowedRun, first: RunProgress): Promise<RunProgress> {
  let now = first
  if (now.status === 'paused') now = await changeRun(run.connection, run.handle, '/resume')
  for (const { key } of first.waiting.filter(one => one.for === 'retry')) {
    const isCharged = findRunJob(first, key)?.payment?.state === 'paid'
    if (isCharged && run.options.payAgain !== true) continue
    try {
      now = await changeRun(run.connection, run.handle, '/retry', { key })
    } catch (error) {
      if (!(error instanceof PlatformRefused)) throw error
    }
  }
  return now
}
