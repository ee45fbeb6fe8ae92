import type { Graph } from '@farebox/flows/graph/graph'
import { paymentOf, sumPayments } from '@farebox/flows/run/payments'
import { jobKey, type JobState, type Run, type StepState } from '@farebox/flows/run/run-state'
import { statusOf } from '@farebox/flows/run/run-status'
import { run as runAnswer, type RunAnswer } from '@farebox/platform-api/flows/runs'

/** A run of the engine, in the form of a platform's response. */
export function showRun(
  graph: Graph,
  run: Run,
  known: Pick<RunAnswer, 'run_id' | 'payer' | 'created_at' | 'changed_at'>,
): RunAnswer {
  const { status, waiting, output } = statusOf(graph, run)
  const sums = sumPayments(run)
  const sent = Object.values(run.payments)
    .flat()
    .filter(({ state }) => state === 'sent')
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
  return runAnswer.parse({
    ...known,
    status,
    waiting,
    output,
    max_total: run.max_total,
    ...sums,
    exposed_until: sent.length === 0 ? null : Math.max(...sent.map(one => one.valid_before)) + 120,
    steps: graph.order.map(step => showStep(graph, run, step)),
    ended_at: isOver ? known.changed_at : null,
    kept_until: null,
    flow: run.flow,
    flow_id: null,
    input: run.input,
  })
}

function showStep(graph: Graph, run: Run, id: string): object {
  const state: StepState | undefined = run.steps[id]
  const wired = graph.wiredTo(id)[0]
  return {
    step: id,
    state: state?.state ?? 'waiting',
    reason: state?.state === 'failed' ? state.reason : null,
    until: state?.state === 'sleeping' ? state.until : null,
    ...(state?.state === 'asking' && wired !== undefined && { value: sourceValue(run, wired) }),
    outputs: state?.state === 'done' ? state.outputs : null,
    jobs: showJobs(graph, run, id, state),
  }
}

function sourceValue(run: Run, { step, port }: { readonly step: string; readonly port: string }): unknown {
  const state = run.steps[step]
  return step === 'input' ? run.input[port] : state?.state === 'done' ? state.outputs[port] : undefined
}

function showJobs(graph: Graph, run: Run, id: string, state: StepState | undefined): readonly object[] {
  const step = graph.flow.steps[id]
  if (step?.kind !== 'job') return []
  if (state?.state === 'ordering')
    return state.jobs.map((job, index) => showJob(run, jobKey(id, index, step.map !== undefined), job))
  if (state?.state !== 'done') return []
  return Object.keys(run.payments)
    .filter(key => key === id || key.startsWith(`${id}#`))
    .map(key => showJob(run, key, { state: 'done', output: {} }))
}

function showJob(run: Run, key: string, job: JobState): object {
  const payment = paymentOf(run, key)
  const wasSent = payment?.state === 'sent' || payment?.state === 'paid'
  return {
    key,
    state: job.state,
    attempt: job.state === 'done' ? 1 : 'attempt' in job ? job.attempt : 0,
    input: 'input' in job ? job.input : null,
    because: job.state === 'unpaid' ? job.because : null,
    error_type: job.state === 'failed' ? job.error_type : null,
    error: job.state === 'failed' ? job.error : null,
    payment: payment ?? null,
    job: wasSent
      ? {
          status: job.state === 'done' ? 'completed' : job.state === 'failed' ? 'failed' : 'sent',
          elapsed_ms: job.state === 'done' ? 1_200 : null,
          transaction: null,
          block_number: null,
          usable_until: payment.valid_before + 120,
          charged_without_delivery: job.state !== 'done' && payment.state === 'paid',
          output_problem: null,
        }
      : null,
  }
}
