import type { ReactNode } from 'react'
import type { KeptRun } from '../../kept/kept-run.ts'
import { tokenOf } from '../runs/send-run.ts'
import type { Draft } from '../../kept/draft.ts'
import { useEditor } from '../editor/use-editor.ts'
import { onLeft, useRead } from '../../site/question.ts'
import { answers } from '../../site/answers.ts'

const OVER: readonly string[] = ['completed', 'cancelled', 'failed']

/** A link to a run of the flow that is in progress, or that has ended since its page was closed. */
export function UnderWay({ draft }: { readonly draft: Draft }): ReactNode {
  const found = useRunUnderWay(draft)
  if (found === undefined) return null
  return (
    <p className="shown-note small" role="status">
      {found.isOver ? 'A run of this flow ended while you were away.' : 'A run of this flow is in progress.'}{' '}
      <a href={`/flows/${draft.draft_id}/runs/${found.runId}`}>Open it</a>
    </p>
  )
}

interface FoundRun {
  readonly runId: string
  readonly isOver: boolean
}

/** The newest run of this browser that this browser has not seen end, in the state that the platform reports. */
function useRunUnderWay({ draft_id: draftId, saved }: Draft): FoundRun | undefined {
  const { ask } = useEditor()
  const flowId = saved?.flow_id
  /** Undefined when this browser has seen the run end, when the run may be deleted, or when the platform does not answer. */
  const find = async (run: KeptRun): Promise<FoundRun | undefined> => {
    const { run_id: runId, refusal, seen } = run
    if (refusal !== undefined || OVER.includes(seen?.status ?? '')) return undefined
    // A run with an unanswered start is sent again when it is opened.
    if (!run.is_started) return { runId, isOver: false }
    const options = { headers: tokenOf(run) }
    const now = await ask(`/v1/runs/${runId}`, answers.run, options).catch(() => undefined)
    return now && { runId, isOver: OVER.includes(now.status) }
  }
  const { answer } = useRead<{ readonly found: FoundRun | undefined }>(
    `${draftId} ${flowId}`,
    async (signal, give) => {
      // If the browser's database is not available, no run is known.
      const { listRuns, watchRuns } = await import('../../kept/run-store.ts')
      const read = async (): Promise<void> => {
        const newest = (await listRuns()).find(
          run => run.draft_id === draftId || (flowId !== undefined && run.flow_id === flowId),
        )
        give({ found: newest && (await find(newest)) })
      }
      await read()
      onLeft(
        signal,
        watchRuns(() => void read().catch(() => undefined)),
      )
      return undefined
    },
  )
  return answer?.found
}
