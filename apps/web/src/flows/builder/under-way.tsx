import type { ReactNode } from 'react'
import type { KeptRun } from '../../kept/kept-run.ts'
import { tokenOf } from '../runs/send-run.ts'
import type { Draft } from '../../kept/draft.ts'
import { useEditor } from '../editor/use-editor.ts'
import { onLeft, useRead } from '../../site/question.ts'
import { answers } from '../../site/answers.ts'

const OVER: readonly string[] = ['completed', 'cancelled', 'failed']

/** Leads to a run of the flow that is under way, or has ended since its page was closed. */
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

/** The newest run of this browser, where this browser has not seen it end; as the platform says. */
function useRunUnderWay({ draft_id: draftId, saved }: Draft): FoundRun | undefined {
  const { ask } = useEditor()
  const flowId = saved?.flow_id
  /** Undefined: this browser has seen it end, it may be gone by now, or the platform does not answer. */
  const find = async (run: KeptRun): Promise<FoundRun | undefined> => {
    const { run_id: runId, refusal, seen } = run
    if (refusal !== undefined || OVER.includes(seen?.status ?? '')) return undefined
    // One that was never answered is sent again where it is opened.
    if (!run.is_started) return { runId, isOver: false }
    const options = { headers: tokenOf(run) }
    const now = await ask(`/v1/runs/${runId}`, answers.run, options).catch(() => undefined)
    return now && { runId, isOver: OVER.includes(now.status) }
  }
  const { answer } = useRead<{ readonly found: FoundRun | undefined }>(
    `${draftId} ${flowId}`,
    async (signal, give) => {
      // A browser that keeps nothing knows of no run.
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
