import type { RunsAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { groupDigits } from '../../format/amount.ts'
import type { Draft } from '../../kept/draft.ts'
import type { KeptRun } from '../../kept/kept-run.ts'
import { When } from '../../parts/when.tsx'
import type { FlowEditor } from '../editor/flow-editor.ts'
import { useEditor } from '../editor/use-editor.ts'
import { useRead } from '../../site/question.ts'
import { answers } from '../../site/answers.ts'

interface ListedRun {
  readonly runId: string
  readonly status: string
  readonly paid: string
  readonly most: string
  /** Unix seconds. */
  readonly createdAt: number
}

/** The runs of a flow: those of this browser, and those of the signed-in wallet. */
export function RunsList({ draft }: { readonly draft: Draft }): ReactNode {
  const runs = useRuns(draft)
  if (runs === undefined) return null
  return (
    <div className="runs-list">
      <h2>Runs</h2>
      {runs.length === 0 ? (
        <div className="void">
          <b>No runs yet</b>
          <span>When you start a run, it will appear here before it is sent.</span>
        </div>
      ) : (
        <ul className="rows">
          {runs.map(({ runId, status, paid, most, createdAt }) => (
            <li key={runId} className="entry flow-entry">
              <h3>
                <a href={`/flows/${draft.draft_id}/runs/${runId}`}>
                  <When at={createdAt} form="exact" />
                </a>
              </h3>
              <span className="leader" />
              <span className="price">{groupDigits(paid)}</span>
              <p className="small faint with">
                {status} · paid {groupDigits(paid)} of up to {groupDigits(most)} USDC
              </p>
              <a className="small" href={`/flows/${draft.draft_id}?run=${runId}`}>
                Show the run’s values in the flow
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** How many runs are refreshed at most: runs whose end this browser has not seen. */
const MOST_ASKED = 5

/** Requests the state of runs that had not ended when their pages were closed. */
async function seeOpen(ask: FlowEditor['ask'], listed: ReadonlySet<string>): Promise<void> {
  const { listRuns, updateRun } = await import('../../kept/run-store.ts')
  const { seeRun } = await import('../runs/see-run.ts')
  const { tokenOf } = await import('../runs/send-run.ts')
  const open = (await listRuns().catch(() => []))
    .filter(run => listed.has(run.run_id) && run.is_started && (run.seen?.ended_at ?? null) === null)
    .slice(0, MOST_ASKED)
  for (const run of open) {
    const now = await ask(`/v1/runs/${run.run_id}`, answers.run, { headers: tokenOf(run) }).catch(
      () => undefined,
    )
    if (now !== undefined) await updateRun(run.run_id, () => ({ seen: seeRun(now) }))
  }
}

function useRuns({ draft_id: draftId, saved }: Draft): readonly ListedRun[] | undefined {
  const { ask } = useEditor()
  const flowId = saved?.flow_id
  const list = async (signal: AbortSignal): Promise<readonly ListedRun[]> => {
    const { listRuns } = await import('../../kept/run-store.ts')
    const path = `/v1/me/runs?flow_id=${flowId}&limit=100`
    const [own, saved] = await Promise.all([
      listRuns().catch(() => []),
      flowId === undefined
        ? []
        : ask(path, answers.runs, { signal }).then(
            answer => answer.runs,
            () => [],
          ),
    ])
    const ours = own.filter(
      run => run.draft_id === draftId || (flowId !== undefined && run.flow_id === flowId),
    )
    return listOf(ours, saved)
  }
  const { answer } = useRead<readonly ListedRun[]>(`${draftId} ${flowId}`, async (signal, give) => {
    const listed = await list(signal)
    give(listed)
    await seeOpen(ask, new Set(listed.map(({ runId }) => runId)))
    return await list(signal)
  })
  return answer
}

/** Merges both lists, the newest first. For a run in both lists, the platform's state is used. */
function listOf(own: readonly KeptRun[], saved: RunsAnswer['runs']): readonly ListedRun[] {
  const listed = new Map<string, ListedRun>()
  for (const { run_id: runId, seen, max_total: most, created_at: createdAt } of own)
    listed.set(runId, { runId, status: seen?.status ?? 'sent', paid: seen?.paid ?? '0', most, createdAt })
  for (const { run_id: runId, status, paid, max_total: most, created_at: createdAt } of saved)
    listed.set(runId, { runId, status, paid, most, createdAt })
  return [...listed.values()].toSorted((one, other) => other.createdAt - one.createdAt)
}
