import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { useMemo, useState, type ReactNode } from 'react'
import { nextAction } from '../../flows/run-view/next-action.ts'
import type { OpenedRun } from '../../flows/runs/open-run.ts'
import { useJobSpends } from '../../limits/use-job-spends.ts'
import { FailureNote, Note } from '../../parts/note.tsx'
import { Words } from '../../parts/words.tsx'
import { useNow } from '../../quick-execute/use-now.ts'
import { ApiFailure } from '../../site/ask.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { CompareSection } from './compare/compare-section.tsx'
import { GoOn } from './go-on.tsx'
import { RunFigures } from './run-figures.tsx'
import { RunHead } from './run-head.tsx'
import { RunMap } from './run-map.tsx'
import { RunResult } from './run-result.tsx'
import { RunTicket } from './run-ticket.tsx'
import { useRunActions } from './use-run-actions.ts'
import { RunOpenerContext } from './run-opener.ts'
import { useRun } from './use-run.ts'
import { formatExactly } from '../../format/time.ts'
import { useRead } from '../../site/question.ts'
import type { KeptRun } from '../../kept/kept-run.ts'

interface Data {
  readonly runId: string
  /** Another run to compare it with. */
  readonly withId: string | null
}

/**
 * One run of a flow, for a reader who can open it. Its token is in the fragment of the address, which is not sent to the
 * server.
 */
export const page: PageModule<Data> = {
  load: async ({ params, query }) => ({ runId: params['runId'] ?? '', withId: query.get('with') }),
  head: () => ({ title: 'Run', hidden: true }),
  Page: RunPage,
}

function RunPage({ data: { runId, withId } }: { readonly data: Data }): ReactNode {
  const { opened, failure, show } = useRun(runId)
  if (failure !== undefined && opened?.run === undefined) return <Unopened failure={failure} runId={runId} />
  if (opened?.run !== undefined)
    return <OpenedHere opened={opened} token={opened.token} run={opened.run} show={show} withId={withId} />
  const refusal = opened?.kept?.refusal
  if (refusal !== undefined) return <Refused sentence={refusal.sentence} />
  return (
    <main id="main" className="page near opening">
      <p className="crumb">
        <a href="/jobs">Jobs</a> / run
      </p>
      <h1>Run</h1>
      <noscript>
        <p className="lede">JavaScript is off. Turn it on to use this page.</p>
      </noscript>
      <p className="lede" role="status">
        {opened === undefined
          ? 'Loading the run…'
          : 'Your request may have arrived. This page will send the same run again. You cannot be charged twice for it.'}
      </p>
    </main>
  )
}

function OpenedHere(props: Parameters<typeof Opened>[0] & { readonly token: string | undefined }): ReactNode {
  const { run_id: runId } = props.run
  const { token } = props
  const opener = useMemo(() => ({ runId, token }), [runId, token])
  return (
    <RunOpenerContext value={opener}>
      <Opened {...props} />
    </RunOpenerContext>
  )
}

function Opened(props: {
  readonly opened: OpenedRun
  readonly run: RunAnswer
  readonly show: (run: RunAnswer) => void
  readonly withId: string | null
}): ReactNode {
  const { opened, run, show } = props
  const { replace } = useNavigation()
  const [withId, setWithId] = useState(props.withId)
  const compare = (other: string | null): void => {
    setWithId(other)
    replace(other === null ? location.pathname : `${location.pathname}?with=${other}`)
  }
  // The platform validated the flow when the run was started.
  const flow = run.flow as unknown as Flow
  const key = JSON.stringify(run.flow)
  // oxlint-disable-next-line react/exhaustive-deps
  const graph = useMemo(() => buildGraph(flow), [key])
  const actions = useRunActions(opened, show)
  const spends = useJobSpends(run.payer, endedJobs(run))
  const now = useNow(run.ended_at === null, 5_000)
  const action = nextAction(flow, run, actions.prices, now)
  return (
    <main id="main" className="page near run">
      <RunHead flow={flow} run={run} kept={opened.kept} actions={actions} />
      <RunResult graph={graph} run={run} />
      <div className="columns run-columns">
        <RunMap graph={graph} run={run} actions={actions} now={now} />
        <aside>
          <RunTicket graph={graph} run={run} spends={spends} now={now} />
          <RunFigures flow={flow} run={run} kept={opened.kept} />
          <OtherRuns run={run} kept={opened.kept} withId={withId} choose={compare} />
        </aside>
      </div>
      {withId !== null && (
        <CompareSection flow={flow} run={run} withId={withId} close={() => compare(null)} />
      )}
      <GoOn run={run} action={action} actions={actions} />
    </main>
  )
}

/** The jobs for which agents can no longer move tokens. */
function endedJobs({ steps }: RunAnswer): readonly string[] {
  return steps.flatMap(({ jobs }) =>
    jobs.flatMap(({ job, payment }) =>
      payment !== null && (job?.status === 'completed' || job?.status === 'failed') ? [payment.job_id] : [],
    ),
  )
}

function Refused({ sentence }: { readonly sentence: string }): ReactNode {
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/jobs">Jobs</a> / run
      </p>
      <h1>Not started, not charged</h1>
      <div className="above">
        <Note tone="refused" alert>
          <p>
            <Words of={sentence} />
          </p>
          <p>The run was rejected. Fix the problem above and sign again.</p>
        </Note>
      </div>
    </main>
  )
}

function Unopened({ failure, runId }: { readonly failure: unknown; readonly runId: string }): ReactNode {
  const isShut = failure instanceof ApiFailure && [400, 401, 403, 404].includes(failure.status)
  return (
    <main id="main" className="page">
      <h1>You cannot open this run here</h1>
      {isShut ? (
        <p className="lede">
          To open this run, use the browser that started it, or{' '}
          <a href={`/sign-in?next=/runs/${encodeURIComponent(runId)}`}>sign in</a> with the wallet that pays
          for it.
        </p>
      ) : (
        <FailureNote error={failure} />
      )}
      <p className="row">
        <a className="button" href="/jobs">
          Your jobs
        </a>
      </p>
    </main>
  )
}

/** Selects another run of the same flow for comparison. Renders nothing if this browser knows no other run. */
function OtherRuns(props: {
  readonly run: RunAnswer
  readonly kept: KeptRun | undefined
  /** The selected run. */
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
    const { listRuns } = await import('../../kept/run-store.ts')
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
