import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { readAgentUrl } from './agent/agent-url.ts'
import { connectionOf, type ClientOptions } from './exchange/client-options.ts'
import { jobResult, type JobResult } from './attempt/job-result.ts'
import { readJournalEntry, type JournalEntry } from './attempt/journal-entry.ts'
import { repeatUntilAnswered } from './attempt/repeat-until-answered.ts'

/** How a journalled job is resumed. */
export interface ResumeOptions extends ClientOptions {
  /** The declaration to check the output against; absent: the output is returned as received. */
  readonly declaration?: Declaration
}

/**
 * Resumes a job after a crash, an abort or `PaymentUnresolved`: repeats the journalled job with the journalled payment until
 * the agent responds (D8, D22, D38). Signs nothing, so it never pays a second time. A pair that was never sent is sent now.
 *
 * @throws {TypeError} when `execute` did not journal the entry, or its URL is not allowed
 * @throws {ServiceError} one of the five typed errors, when the agent reports it
 * @throws {PaymentUnresolved} as `execute` does; the entry can be resumed again
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { resume } from '@farebox/client/resume'
 *
 * const { output } = await resume(JSON.parse(await readFile('job.json', 'utf8')))
 * console.log(output)
 * ```
 */
export async function resume(entry: JournalEntry, options: ResumeOptions = {}): Promise<JobResult> {
  const connection = connectionOf(options)
  const pair = readJournalEntry(entry)
  // The entry is this package's own, but the options of this call decide whether its URL is allowed.
  const agentUrl = readAgentUrl(entry.agentUrl, connection)
  connection.signal?.throwIfAborted()
  const sent = { ...pair, entry: { ...entry, agentUrl } }
  const { completed, answer } = await repeatUntilAnswered(connection, sent)
  const { jobId, capability } = entry
  return jobResult(completed, answer, { jobId, capability, declaration: options.declaration }, pair)
}
