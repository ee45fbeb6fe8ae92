import type { RunAnswer, RunJob, RunProgress, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import { findNetwork } from '@farebox/payments/networks'
import type { DescribedJob, DescribedStep } from '../checking/describe-run.ts'
import { loopTurns } from '../http/loop-turns.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { keptUntilMs } from './records/delete-runs.ts'
import { readJobsOfRun, type ShownJob } from './records/jobs-of-run.ts'
import { refuseUnshown } from './records/refuse-unchecked.ts'
import { originOf, type RunRow } from './records/run-row.ts'

/** The dependencies of showing a run. */
type ShowingParts = Pick<PlatformParts, 'database' | 'checker' | 'network'>

/** Describes all changing parts of a run, for callers who may read it. */
export async function describeProgress(parts: ShowingParts, run: RunRow): Promise<RunProgress> {
  const { flow, input, maxTotal, state } = run
  const keptUntil = keptUntilMs(run)
  const [described, jobs] = await Promise.all([
    parts.checker
      .run('describe-run', { flow, input, maxTotal, state }, `runs of ${originOf(run)}`)
      .catch(refuseUnshown),
    readJobsOfRun(parts.database, run.runId),
  ])
  return {
    run_id: run.runId,
    status: described.status,
    // The variants are those of the API contract.
    waiting: [...described.waiting] as RunProgress['waiting'],
    payer: run.payer ?? null,
    max_total: maxTotal,
    paid: described.paid,
    exposed: described.exposed,
    exposed_until: described.exposedUntil,
    ready: described.ready,
    steps: described.steps.map(step => showStep(parts, step, jobs)),
    output: described.output,
    created_at: run.createdAtMs / 1_000,
    changed_at: run.changedAtMs / 1_000,
    ended_at: run.endedAtMs === undefined ? null : run.endedAtMs / 1_000,
    kept_until: keptUntil === undefined ? null : keptUntil / 1_000,
  }
}

/** Describes a whole run, for callers who may read it. */
export async function describeWholeRun(parts: ShowingParts, run: RunRow): Promise<RunAnswer> {
  const progress = await describeProgress(parts, run)
  return await loopTurns.take(() => ({
    ...progress,
    flow: JSON.parse(run.flow) as RunAnswer['flow'],
    flow_id: run.flowId ?? null,
    input: JSON.parse(run.input) as RunAnswer['input'],
  }))
}

function showStep(
  parts: ShowingParts,
  { step, state, reason, until, value, outputs, jobs }: DescribedStep,
  rows: ReadonlyMap<string, ShownJob>,
): RunStepAnswer {
  return {
    step,
    state,
    reason,
    until,
    ...(value !== undefined && { value }),
    outputs,
    jobs: jobs.map(job => showJob(parts, job, rows)),
  }
}

function showJob(
  { network }: ShowingParts,
  { key, job, payment }: DescribedJob,
  rows: ReadonlyMap<string, ShownJob>,
): RunJob {
  const row = payment === null ? undefined : rows.get(payment.job_id)
  return {
    key,
    state: job.state,
    attempt: 'attempt' in job ? job.attempt : (row?.job?.attempt ?? 0),
    input: row?.input ?? ('input' in job ? job.input : null),
    because: 'because' in job ? job.because : null,
    error_type: 'error_type' in job ? job.error_type : null,
    error: 'error' in job ? job.error : null,
    payment,
    job:
      row?.job === undefined
        ? null
        : {
            status: row.job.state,
            elapsed_ms: row.job.elapsedMs ?? null,
            transaction: row.job.transaction ?? null,
            block_number: row.job.blockNumber ?? null,
            usable_until:
              (payment?.valid_before ?? 0) +
              (findNetwork(network.id)?.finalitySeconds ?? network.finalitySeconds),
            charged_without_delivery: row.job.chargedWithoutDelivery,
            output_problem: row.job.outputProblem ?? null,
          },
  }
}
