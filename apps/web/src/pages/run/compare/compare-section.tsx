import type { Flow } from '@farebox/flows/document/flow'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { describeValue } from '../../../flows/describe/describe-value.ts'
import { nameStop } from '../../../flows/describe/name-stop.ts'
import { compareRuns, type ComparedStep, type StepSide } from '../../../flows/run-view/compare-runs.ts'
import { formatDuration } from '../../../format/duration.ts'
import { FailureNote } from '../../../parts/note.tsx'
import { Hash } from '../../../parts/short.tsx'
import { When } from '../../../parts/when.tsx'
import { Words } from '../../../parts/words.tsx'
import { answers } from '../../../site/answers.ts'
import { ApiFailure, type Ask } from '../../../site/ask.ts'
import { useRead } from '../../../site/question.ts'
import { useSite } from '../../../site/site.ts'
import { TableHead } from '../../../parts/table.tsx'

/** Two runs side by side: the outcome, duration and payment of each step, and the outputs that differ. */
export function CompareSection(props: {
  readonly flow: Flow
  readonly run: RunAnswer
  readonly withId: string
  readonly close: () => void
}): ReactNode {
  const { flow, run, withId, close } = props
  const { ask } = useSite()
  const { answer: other, failure } = useRead(withId, async signal => await readOther(ask, withId, signal))
  return (
    <section className="compare" id="compare">
      <div className="heading">
        <h2>
          Compared with run <Hash of={withId} />
        </h2>
        <span className="end">
          {other !== undefined && (
            <>
              <a href={`/runs/${withId}`}>
                started <When at={other.created_at} form="exact" />
              </a>
            </>
          )}
          <button type="button" className="link" onClick={close}>
            Close
          </button>
        </span>
      </div>
      {failure !== undefined && <Unread failure={failure} />}
      {other !== undefined && <Table flow={flow} run={run} other={other} />}
    </section>
  )
}

async function readOther(ask: Ask, runId: string, signal: AbortSignal): Promise<RunAnswer> {
  const [{ readKeptRun }, { tokenOf }] = await Promise.all([
    import('../../../kept/run-store.ts'),
    import('../../../flows/runs/send-run.ts'),
  ])
  const headers = tokenOf((await readKeptRun(runId)) ?? {})
  return await ask(`/v1/runs/${encodeURIComponent(runId)}`, answers.run, { headers, signal })
}

function Unread({ failure }: { readonly failure: unknown }): ReactNode {
  const isShut = failure instanceof ApiFailure && failure.status === 404
  return isShut ? (
    <p className="nothing faint">
      You cannot open that run because it was started in another browser or with another wallet.
    </p>
  ) : (
    <FailureNote error={failure} />
  )
}

function Table(props: {
  readonly flow: Flow
  readonly run: RunAnswer
  readonly other: RunAnswer
}): ReactNode {
  const { flow, run, other } = props
  const steps = compareRuns(run, other)
  // The other run may use another version of the flow; the platform has validated both.
  const otherFlow = other.flow as unknown as Flow
  return (
    <div className="scroll">
      <table className="small">
        <TableHead of={['Step', 'This run', 'Other run', 'Output']} />
        <tbody>
          {steps.map(step => (
            <tr key={step.id}>
              <th scope="row">
                <Words of={nameStop(step.one === undefined ? otherFlow : flow, step.id)} most={64} />
              </th>
              <td>
                <Side side={step.one} />
              </td>
              <td>
                <Side side={step.other} />
              </td>
              <td>
                <Outputs step={step} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td>{run.paid} USDC</td>
            <td>{other.paid} USDC</td>
            <td>{saySame(steps)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function Side({ side }: { readonly side: StepSide | undefined }): ReactNode {
  if (side === undefined) return <span className="faint">not in this run</span>
  const parts = [
    side.words,
    ...(side.elapsedMs === null ? [] : [formatDuration(side.elapsedMs)]),
    ...(side.paid === '0' ? [] : [`${side.paid} USDC`]),
  ]
  return parts.join(', ')
}

function Outputs({ step }: { readonly step: ComparedStep }): ReactNode {
  if (step.isSame) return <span className="faint">the same</span>
  if (step.differences.length === 0) return null
  return (
    <ul>
      {step.differences.map(({ port, one, other }) => (
        <li key={port}>
          <b>
            <Words of={port} most={64} />
          </b>{' '}
          <Words of={one === undefined ? 'nothing' : describeValue(one, 40)} most={80} />
          {' → '}
          <Words of={other === undefined ? 'nothing' : describeValue(other, 40)} most={80} />
        </li>
      ))}
    </ul>
  )
}

function saySame(steps: readonly ComparedStep[]): string {
  const different = steps.filter(({ differences }) => differences.length > 0).length
  if (different > 0) return different === 1 ? 'one step differs' : `${different} steps differ`
  return steps.every(({ isSame, one }) => isSame || one?.words === 'skipped') ? 'the same' : ''
}
