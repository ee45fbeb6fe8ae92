import type { Flow } from '@farebox/flows/document/flow'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { SignSheet } from '../../flows/sign/sign-sheet.tsx'
import { describeRun } from '../../flows/run-view/describe-run.ts'
import { openDraft } from '../../kept/draft.ts'
import type { KeptRun } from '../../kept/kept-run.ts'
import { Hash } from '../../parts/short.tsx'
import { Words } from '../../parts/words.tsx'
import { useNavigation } from '../../site/navigation.ts'
import { CancelSheet } from './cancel-sheet.tsx'
import type { RunActions } from './use-run-actions.ts'

interface Props {
  readonly flow: Flow
  readonly run: RunAnswer
  readonly kept: KeptRun | undefined
  readonly actions: RunActions
}

/** The state of a run, and the actions on the run as a whole. */
export function RunHead(props: Props): ReactNode {
  const { flow, run } = props
  const { headline, lede } = describeRun(flow, run)
  const title = useRef<HTMLHeadingElement>(null)
  const isAtWork = run.status === 'running'
  const [wasAtWork, setWasAtWork] = useState(isAtWork)
  // An outcome takes the focus and is announced; progress is not.
  useEffect(() => {
    if (isAtWork) return setWasAtWork(true)
    if (wasAtWork) title.current?.focus()
  }, [isAtWork, wasAtWork])
  return (
    <>
      <p className="crumb">
        <a href="/jobs">Jobs</a> / {run.flow_id === null ? <Name flow={flow} /> : <FlowLink {...props} />} /
        run <Hash of={run.run_id} />
      </p>
      <div className="head">
        <div role={isAtWork || !wasAtWork ? 'status' : 'alert'}>
          <h1 ref={title} tabIndex={-1}>
            {headline}
          </h1>
          <p className="lede">{lede}</p>
        </div>
        <Buttons {...props} />
      </div>
    </>
  )
}

function Name({ flow }: { readonly flow: Flow }): ReactNode {
  return <Words of={flow.name === '' ? 'a flow' : flow.name} most={64} />
}

function FlowLink({ flow, run }: Props): ReactNode {
  return (
    <a href={`/flows/${run.flow_id}`}>
      <Name flow={flow} />
    </a>
  )
}

function Buttons({ flow, run, kept, actions }: Props): ReactNode {
  const { go } = useNavigation()
  const [sheet, setSheet] = useState<'cancel' | 'again'>()
  const isOver = run.status === 'completed' || run.status === 'cancelled'
  // A run with a step that refused its input cannot be completed: only its signed, unsent payments can be deleted.
  const isStuck = run.status === 'failed'
  const isRefused = run.steps.some(({ state }) => state === 'failed')
  const isBusy = actions.busy !== undefined
  const draftId = kept?.draft_id
  /** Opens the flow of the run: the saved flow, its draft, or a new draft. */
  const openCanvas = async (): Promise<void> => {
    const { readDraft } = await import('../../kept/draft-store.ts')
    const known = run.flow_id ?? (draftId === undefined ? undefined : (await readDraft(draftId))?.draft_id)
    const query = `?run=${run.run_id}`
    if (known !== undefined) return go(`/flows/${known}${query}`)
    await openDraft(go, flow, { input: run.input as KeptRun['input'], query })
  }
  return (
    <div className="row run-acts">
      <button type="button" className="button" onClick={() => void openCanvas().catch(() => undefined)}>
        Open in the builder
      </button>
      {run.status !== 'paused' && !isOver && !isStuck && (
        <button type="button" className="button" disabled={isBusy} onClick={() => actions.control('pause')}>
          Pause
        </button>
      )}
      {!isOver && !(isStuck && run.ready === '0') && (
        <button type="button" className="button" disabled={isBusy} onClick={() => setSheet('cancel')}>
          {isStuck ? 'Cancel unsent payments' : 'Cancel the run'}
        </button>
      )}
      {(isOver || isStuck) && (
        <button type="button" className="button solid" onClick={() => setSheet('again')}>
          {isRefused ? 'Change the input and run again' : 'Run it again'}
        </button>
      )}
      {sheet === 'cancel' && (
        <CancelSheet run={run} cancel={() => actions.control('cancel')} close={() => setSheet(undefined)} />
      )}
      {sheet === 'again' && (
        <SignSheet
          flow={flow}
          input={run.input as KeptRun['input']}
          {...(run.flow_id !== null && { flowId: run.flow_id })}
          {...(draftId !== undefined && { draftId })}
          onClose={() => setSheet(undefined)}
        />
      )}
    </div>
  )
}
