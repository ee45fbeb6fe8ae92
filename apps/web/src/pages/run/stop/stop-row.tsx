import type { JobStep, Step } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { RunAnswer, RunJob, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { nameStop } from '../../../flows/describe/name-stop.ts'
import { actionForJob, labelAction, nextAction } from '../../../flows/run-view/next-action.ts'
import type { StopView } from '../../../flows/run-view/view-stop.ts'
import { fromAtomic, toAtomic } from '../../../format/amount.ts'
import { Amount } from '../../../parts/amount.tsx'
import { Note } from '../../../parts/note.tsx'
import { Words } from '../../../parts/words.tsx'
import { ApprovalBox } from './approval-box.tsx'
import { IoRows } from './io-rows.tsx'
import { RunJobLine, OutcomeWords } from './run-job-line.tsx'
import { hasResult } from '../run-result.tsx'
import type { RunActions } from '../use-run-actions.ts'

interface Props {
  readonly graph: Graph
  readonly run: RunAnswer
  /** Unix seconds. */
  readonly now: number
  readonly id: string
  readonly step: Step
  readonly state: RunStepAnswer | undefined
  readonly view: StopView
  readonly decimals: number
  readonly actions: RunActions
}

/** A step of a run, next to its stop: its outcome, its price, its input and output. */
export function StopRow(props: Props): ReactNode {
  const { graph, id, step, state, view } = props
  const isReached = view.mark.state !== 'ahead' && view.mark.state !== 'out'
  return (
    <div className={isReached ? 'route-stop' : 'route-stop unreached'} id={`step-${id}`}>
      <div className="top">
        <h3>
          <Words of={nameStop(graph.flow, id)} most={64} />{' '}
          {step.kind === 'job' && (
            <span className="mono small quiet">
              <Words of={step.capability} most={64} />
            </span>
          )}
        </h3>
        <Price {...props} />
      </div>
      {step.kind === 'job' && state !== undefined ? (
        <JobPart {...props} step={step} state={state} />
      ) : (
        <FreePart {...props} />
      )}
    </div>
  )
}

/** The price of a step, paid or to be paid; struck through if it was not charged. */
function Price({ step, state, view, decimals }: Props): ReactNode {
  if (step.kind !== 'job')
    return (
      <span className="end">
        <span className="free">free</span>
      </span>
    )
  const jobs = state?.jobs ?? []
  const paid = jobs.filter(({ payment }) => payment?.state === 'paid')
  if (paid.length > 0)
    return (
      <span className="end">
        <Amount of={sumOf(paid)} decimals={decimals} />
      </span>
    )
  const amount = jobs[0]?.payment?.amount ?? step.pinned.price
  const isNotCharged = view.mark.state === 'failed'
  return (
    <span className="end">
      <span className="free">
        {step.map !== undefined && jobs.length !== 1 && (
          <>{jobs.length === 0 ? `up to ${step.map.most}` : jobs.length} × </>
        )}
        {isNotCharged ? <s>{amount}</s> : <Amount of={amount} decimals={decimals} />}
      </span>
    </span>
  )
}

function sumOf(jobs: readonly RunJob[]): string {
  return fromAtomic(jobs.reduce((sum, { payment }) => sum + (toAtomic(payment?.amount ?? '') ?? 0n), 0n))
}

interface PartProps extends Props {
  readonly step: JobStep
  readonly state: RunStepAnswer
}

function JobPart(props: PartProps): ReactNode {
  const { step, state } = props
  const [first] = state.jobs
  if (state.state === 'failed' || state.state === 'waiting') return <Unordered {...props} />
  if (step.map === undefined && first !== undefined) return <OneJob {...props} job={first} />
  return <JobsOfItems {...props} />
}

function OneJob(props: PartProps & { readonly job: RunJob }): ReactNode {
  const { id, run, step, job } = props
  return (
    <>
      <RunJobLine job={job} mostSeconds={step.pinned.max_deadline_seconds}>
        <Alone {...props} />
      </RunJobLine>
      <IoRows
        {...ioOf(job, step)}
        {...outputOf(props)}
        fileName={`farebox-${id}`}
        isFolded={hasResult(run)}
      />
      {job.job?.output_problem !== null && job.job?.output_problem !== undefined && (
        <Note tone="warn">
          <p>
            The output does not match its declaration: <Words of={job.job.output_problem} />
          </p>
        </Note>
      )}
    </>
  )
}

/** A step that runs one job for each item of a list. */
function JobsOfItems(props: PartProps): ReactNode {
  const { id, step, state, view } = props
  const { jobs, reason } = state
  const fileName = `farebox-${id}`
  return (
    <>
      <p className="sub">
        <OutcomeWords of={view.words} />
      </p>
      {reason !== null && <IoRows error={reason} fileName={fileName} />}
      {jobs.length > 0 && (
        <details className="items" open={state.state !== 'done' && jobs.length <= MOST_OPEN}>
          <summary>
            {jobs.length} {jobs.length === 1 ? 'job' : 'jobs'}, one for each item
          </summary>
          <ol>
            {jobs.map(job => (
              <li key={job.key}>
                <RunJobLine job={job} mostSeconds={step.pinned.max_deadline_seconds}>
                  <Alone {...props} job={job} />
                </RunJobLine>
                <IoRows {...ioOf(job, step)} fileName={fileName} />
              </li>
            ))}
          </ol>
        </details>
      )}
      <IoRows {...outputOf(props)} fileName={fileName} />
    </>
  )
}

type Io = Partial<Parameters<typeof IoRows>[0]>

/** The input of a job, and its error. */
function ioOf({ input, error }: RunJob, { pinned }: JobStep): Io {
  return {
    ...(input !== null && { input: { values: asObject(input), fields: pinned.input_schema } }),
    ...(error !== null && { error }),
  }
}

function outputOf({ step, state: { outputs } }: PartProps): Io {
  return outputs === null ? {} : { output: { values: asObject(outputs), fields: listed(step) } }
}

/** A paid step without an order: not reached yet, or refused before anything was sent. */
function Unordered({ id, state, view }: PartProps): ReactNode {
  const isSigned = state.state === 'waiting' && state.jobs.some(({ payment }) => payment?.state === 'ready')
  return (
    <>
      <p className="sub">
        <OutcomeWords
          of={isSigned ? { words: 'Signed and waiting for its turn', tone: 'plain' } : view.words}
        />
      </p>
      {state.reason !== null && <IoRows error={state.reason} fileName={`farebox-${id}`} />}
    </>
  )
}

/** Lists with more items are collapsed at first. */
const MOST_OPEN = 12

/** The button that continues only this job. */
function Alone({ job, graph, run, now, actions }: Props & { readonly job: RunJob }): ReactNode {
  const isHalted = run.status === 'cancelled' || run.status === 'paused'
  if ((job.state !== 'failed' && job.state !== 'unpaid') || isHalted) return null
  const all = nextAction(graph.flow, run, actions.prices, now)
  const isOnly = all.sign.length + all.retry.length === 1 && [...all.sign, ...all.retry][0]?.key === job.key
  const action = actionForJob(graph.flow, run, job.key, actions.prices, now)
  const label = labelAction(action)
  if (label === undefined) return null
  return (
    <button
      type="button"
      className={isOnly ? 'button fare low' : 'link'}
      disabled={actions.busy !== undefined}
      onClick={() => actions.goOn(action)}
    >
      {label}
      <span className="unseen"> for {nameStop(graph.flow, job.key.split('#')[0] ?? '')}</span>
    </button>
  )
}

function FreePart(props: Props): ReactNode {
  const { id, step, state, view, actions } = props
  if (step.kind === 'approval' && state?.state === 'asking')
    return <ApprovalBox id={id} question={step.question} value={state.value} actions={actions} />
  return (
    <>
      <p className="sub">
        <OutcomeWords of={view.words} />
        {step.kind === 'approval' && state?.state === 'done' && (
          <span>{Object.hasOwn(state.outputs ?? {}, 'declined') ? 'declined' : 'approved'}</span>
        )}
      </p>
      <IoRows
        {...(state?.outputs !== null &&
          state?.outputs !== undefined && { output: { values: asObject(state.outputs), fields: NO_FIELDS } })}
        {...(state?.reason !== null && state?.reason !== undefined && { error: state.reason })}
        fileName={`farebox-${id}`}
      />
    </>
  )
}

const NO_FIELDS: FieldMap = {}

/** The output fields of a step that maps a list: each output is a list. */
function listed({ pinned, map }: JobStep): FieldMap {
  if (map === undefined) return pinned.output_schema
  return Object.fromEntries(
    Object.entries(pinned.output_schema).map(([name, items]) => [name, { type: 'array', items }] as const),
  )
}

/** Narrows the type: the values of a run are JSON. */
function asObject(values: { readonly [name: string]: unknown }): JsonObject {
  return values as JsonObject
}
