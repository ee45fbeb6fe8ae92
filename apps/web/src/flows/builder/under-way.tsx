import { useEffect, useState, type ReactNode } from 'react'
import type { Draft } from '../../kept/draft.ts'
import { useEditor } from '../editor/use-editor.ts'
import { answers } from '../../site/answers.ts'

const OVER: readonly string[] = ['completed', 'cancelled', 'failed']

/** That a run of the flow is under way, or has ended unseen, for whoever comes back to it: a page that was closed led there. */
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
  const [found, setFound] = useState<FoundRun>()
  useEffect(() => {
    let isGone = false
    let stop = (): void => undefined
    const read = async (): Promise<void> => {
      const { listRuns } = await import('../../kept/run-store.ts')
      const newest = (await listRuns()).find(
        run => run.draft_id === draftId || (flowId !== undefined && run.flow_id === flowId),
      )
      const isOpen =
        newest !== undefined &&
        newest.refusal === undefined &&
        !(newest.seen !== undefined && OVER.includes(newest.seen.status))
      // One that was never answered is sent again where it is opened.
      const status =
        isOpen && newest.is_started
          ? await ask(`/v1/runs/${newest.run_id}`, answers.run, {
              ...(newest.run_token !== undefined && { headers: { 'run-token': newest.run_token } }),
            }).then(
              run => run.status,
              () => undefined,
            )
          : 'running'
      if (isGone) return
      // It may be gone by now, or the platform does not answer: nothing is known then.
      const isKnown = isOpen && status !== undefined
      setFound(isKnown ? { runId: newest.run_id, isOver: OVER.includes(status) } : undefined)
    }
    const start = async (): Promise<void> => {
      await read()
      const { watchRuns } = await import('../../kept/run-store.ts')
      if (!isGone) stop = watchRuns(() => void read().catch(() => undefined))
    }
    // A browser that keeps nothing knows of no run.
    start().catch(() => undefined)
    return () => {
      isGone = true
      stop()
    }
  }, [ask, draftId, flowId])
  return found
}
