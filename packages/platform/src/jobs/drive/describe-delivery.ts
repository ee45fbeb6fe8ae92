import type { Outcome } from '@farebox/client/internal/attempt/read-outcome'
import { hashJson } from '@farebox/platform-api/receipt'
import type { Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { readRecentAgent } from '../../agents/read-agent.ts'
import { CheckFailed } from '../../checking/checker.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobChanges } from '../records/change-job.ts'
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'

/**
 * The properties of an output that are stored with its bytes: its hash, and the first violation of the schema that its
 * agent declares.
 */
export async function describeDelivery(
  parts: PlatformParts,
  job: JobRow,
  outcome: Outcome,
): Promise<JobChanges> {
  if (outcome.kind !== 'completed') return {}
  const agent = await readRecentAgent(parts.database, job.agentId)
  const fields = agent?.declaration?.capabilities[job.capability]?.output_schema
  const violation = fields && (await checkOutput(parts, job, fields, outcome.output))
  return {
    outputHash: await hashJson(outcome.output),
    ...(outcome.completedAt !== undefined &&
      isTime(outcome.completedAt) && { completedAt: outcome.completedAt }),
    ...(violation && { outputProblem: `${violation.field}: ${violation.reason}` }),
  }
}

/** An output that cannot be checked is treated as valid: it is paid, and its payer has received it. */
async function checkOutput(
  { checker, log }: PlatformParts,
  job: JobRow,
  fields: FieldMap,
  output: JsonObject,
): Promise<Violation | undefined> {
  try {
    return await checker.run('output', { fields: JSON.stringify(fields), output }, `agent ${job.agentId}`)
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error
    log.warn('could not check an output', { ...jobFields(job), agent: job.agentId, reason: error.message })
    return undefined
  }
}

/** Whether a number from an agent can be converted to a date. */
function isTime(seconds: number): boolean {
  return seconds >= 0 && seconds < 1e11
}
