import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import { findNetwork } from '@farebox/payments/networks'
import type { LogFields } from '@farebox/server/log'
import type { JobRow } from './job-row.ts'

/** The fields of every log line about a job: its `job`, its `trace` and the `key` of its payment. */
export function jobFields({
  jobId,
  trace,
  network,
  authorization,
}: Pick<JobRow, 'jobId' | 'trace' | 'network' | 'authorization'>): LogFields {
  const known = findNetwork(network)
  return { job: jobId, trace: trace?.id, key: known && paymentKey(known, authorization) }
}
