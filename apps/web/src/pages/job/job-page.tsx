import type { AgentPage } from '@farebox/platform-api/agent'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { isJobId } from '@farebox/protocol/job/job-request'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { useEffect, useRef, type ReactNode, type RefObject } from 'react'
import { readSpendDeclaration } from '../../limits/spend-declaration.ts'
import { limitUrl } from '../../limits/find-cover.ts'
import { FailureNote } from '../../parts/note.tsx'
import { Hash } from '../../parts/short.tsx'
import { Words } from '../../parts/words.tsx'
import { keepInput } from '../../quick-execute/input-again.ts'
import { JobPanel } from '../../quick-execute/job-panel.tsx'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import type { PageModule } from '../../site/page.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { InputTable } from './input-table.tsx'
import { watchJob, type OpenedJob } from './watch-job.ts'

interface Data {
  readonly jobId: string
  /** The run that ordered it; null when there is none or when it is not known. */
  readonly runId: string | null
  /** Whether its receipt is scrolled into view. */
  readonly isReceipt: boolean
}

/** One job, for a reader who can open it. Its token is in the fragment of the address, which is not sent to the server. */
export const page: PageModule<Data> = {
  async load({ params, query }) {
    const jobId = params['jobId'] ?? ''
    if (!isJobId(jobId)) throw new ApiFailure('There is no such job.', { status: 404, type: 'not_found' })
    return { jobId, runId: query.get('run'), isReceipt: query.get('part') === 'receipt' }
  },
  head: () => ({ title: 'Job', hidden: true }),
  Page: JobPage,
}

/** How long the page waits for the agent's name and fields before it shows the job without them. */
const AGENT_WITHIN_MS = 1_000

function JobPage({ data }: { readonly data: Data }): ReactNode {
  const { runId } = data
  const columns = useRef<HTMLDivElement>(null)
  const { opened, agent, failure } = useJob(data, columns)
  if (failure !== undefined && opened === undefined) return <Unopened failure={failure} />
  // The agent provides the names and descriptions of fields; waiting for them keeps the page from shifting later.
  if (opened === undefined || agent === undefined) return <Opening runId={runId} />
  const { order } = opened
  const capability = agent?.capabilities.find(({ name }) => name === order.capability)
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/jobs">Jobs</a> /{runId !== null && <RunLink runId={runId} />} job{' '}
        <span className="mono">{data.jobId}</span>
      </p>
      <h1>
        <a className="plain" href={`/agents/${order.agent_id}`}>
          <Words of={order.agent_name} most={64} />
        </a>{' '}
        <span className="mono quiet">
          <bdi>{order.capability}</bdi>
        </span>
      </h1>
      <div className="try one-job" ref={columns}>
        <JobInput opened={opened} fields={(capability?.input_schema ?? {}) as FieldMap} />
        <div>
          <JobOutcome opened={opened} capability={capability} usualMs={agent?.job_p50_ms ?? null} />
        </div>
      </div>
    </main>
  )
}

function Opening({ runId }: { readonly runId: string | null }): ReactNode {
  return (
    <main id="main" className="page near opening">
      <p className="crumb">
        <a href="/jobs">Jobs</a> /{runId !== null && <RunLink runId={runId} />} job
      </p>
      <h1>Job</h1>
      <noscript>
        <p className="lede">JavaScript is off. Turn it on to open this job.</p>
      </noscript>
      <p className="lede" role="status">
        Loading the job…
      </p>
    </main>
  )
}

function JobOutcome(props: {
  readonly opened: OpenedJob
  /** As the agent currently declares it; undefined when it is not known. */
  readonly capability: AgentPage['capabilities'][number] | undefined
  readonly usualMs: number | null
}): ReactNode {
  const { opened, capability, usualMs } = props
  const { order, job } = opened
  const { platform } = useSite()
  const canSpend =
    platform.spend_permissions_address !== null &&
    capability !== undefined &&
    readSpendDeclaration(capability.permissions) !== undefined
  return (
    <JobPanel
      execution={{
        order: { ...order, ...(job !== undefined && { job }) },
        unanswered: 0,
        isFresh: false,
      }}
      usualMs={usualMs}
      fields={(capability?.output_schema ?? {}) as FieldMap}
      isItsPage
      limit={canSpend ? limitUrl(order.agent_id, order.capability) : undefined}
    />
  )
}

/** The job and its agent, once they are loaded. Scrolls the receipt into view if the address asks for it. */
function useJob(
  { jobId, runId, isReceipt }: Data,
  columns: RefObject<HTMLElement | null>,
): {
  readonly opened: OpenedJob | undefined
  /** Null when the agent's data did not arrive in time. */
  readonly agent: AgentPage | null | undefined
  readonly failure: unknown
} {
  const { ask } = useSite()
  const { answer: opened, failure } = useRead<OpenedJob>(`${jobId} ${runId}`, async (signal, give) => {
    await watchJob(ask, { jobId, runId: runId ?? undefined }, give, signal)
    return undefined
  })
  const agentId = opened?.order.agent_id
  const { answer: named } = useRead<{ readonly agent: AgentPage | null }>(
    agentId?.toString(),
    async (signal, give) => {
      const asked = ask(`/v1/agents/${agentId}`, answers.agentPage, { signal }).then(
        agent => ({ agent }),
        () => ({ agent: null }),
      )
      const late = sleep(systemClock, AGENT_WITHIN_MS).then(() => ({ agent: null }))
      give(await Promise.race([asked, late]))
      return await asked
    },
  )
  const agent = named?.agent
  const isThere = opened?.job !== undefined && agent !== undefined
  useEffect(() => {
    if (!isReceipt || !isThere) return
    const ticket = columns.current?.querySelector<HTMLElement>('.ticket')
    ticket?.setAttribute('tabindex', '-1')
    ticket?.focus({ preventScroll: true })
    ticket?.scrollIntoView({ block: 'center' })
  }, [columns, isReceipt, isThere])
  return { opened, agent, failure }
}

/** The input, and a link to run it again. */
function JobInput({
  opened: { order, job },
  fields,
}: {
  readonly opened: OpenedJob
  readonly fields: FieldMap
}): ReactNode {
  return (
    <div>
      <h2 className="with-switch">Input</h2>
      <InputTable input={job?.input ?? null} fields={fields} />
      <p className="row">
        <a
          className="button"
          href={`/agents/${order.agent_id}?capability=${encodeURIComponent(order.capability)}`}
          onClick={() => {
            const { agent_id: agentId, capability: name } = order
            if (job?.input) keepInput({ agentId, capability: name, input: job.input as JsonObject })
          }}
        >
          Run again
        </a>
      </p>
    </div>
  )
}

/** A link to the run that ordered the job. */
function RunLink({ runId }: { readonly runId: string }): ReactNode {
  return (
    <>
      {' '}
      <a href={`/runs/${encodeURIComponent(runId)}`}>
        run <Hash of={runId} />
      </a>{' '}
      /
    </>
  )
}

function Unopened({ failure }: { readonly failure: unknown }): ReactNode {
  const isShut =
    failure instanceof ApiFailure &&
    (failure.status === 404 || failure.status === 401 || failure.status === 403)
  return (
    <main id="main" className="page">
      <h1>You cannot open this job here</h1>
      {isShut ? (
        <p className="lede">
          To open a job, use the link you got when you ordered it, use the browser you ordered it in, or sign
          in with the wallet that paid for it.
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
