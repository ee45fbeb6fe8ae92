import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { formatExactly } from '../../../format/time.ts'
import { useRead } from '../../../site/question.ts'
import type { KeptRun } from '../../../kept/kept-run.ts'

/** Chooses another run of the same flow to hold this one against. Nothing where this browser knows no other. */
export function OtherRuns(props: {
  readonly run: RunAnswer
  readonly kept: KeptRun | undefined
  /** The one that is chosen. */
  readonly withId: string | null
  readonly choose: (runId: string | null) => void
}): ReactNode {
  const { run, kept, withId, choose } = props
  const { run_id: runId, flow_id: flowId } = run
  const draftId = kept?.draft_id
  const name = kept?.flow.name
  const { answer: others = [] } = useRead(`${runId} ${flowId} ${draftId} ${name}`, async () => {
    const isOther = (one: KeptRun): boolean =>
      one.run_id !== runId &&
      one.is_started &&
      ((flowId !== null && one.flow_id === flowId) ||
        (draftId !== undefined && one.draft_id === draftId) ||
        (name !== undefined && one.flow.name === name))
    const { listRuns } = await import('../../../kept/run-store.ts')
    return (await listRuns()).filter(isOther).slice(0, MOST)
  })
  if (others.length === 0) return null
  return (
    <label className="field other-runs">
      <span className="label">Compare with</span>
      <select
        className="input"
        value={others.some(({ run_id: id }) => id === withId) ? (withId ?? '') : ''}
        onChange={event => choose(event.target.value === '' ? null : event.target.value)}
      >
        <option value="">none selected</option>
        {others.map(one => (
          <option key={one.run_id} value={one.run_id}>
            {formatExactly(one.created_at, 'local')}, {one.seen?.status ?? 'not checked'}
          </option>
        ))}
      </select>
    </label>
  )
}

const MOST = 20
