import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatDate } from '../../format/time.ts'
import { Amount } from '../../parts/amount.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Table } from '../../parts/table.tsx'
import { Hole } from '../../parts/ticket.tsx'
import { useZone, When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { useSite } from '../../site/site.ts'
import { Sign, type SignName } from '../../signs/sign.tsx'
import type { JobEntry, JobEntryOutcome, OrderEntry, RunEntry, RunEntryOutcome } from './order-entries.ts'

/** Jobs and runs, grouped by the day on which they were ordered. */
export function JobTable({ jobs }: { readonly jobs: readonly OrderEntry[] }): ReactNode {
  const zone = useZone()
  const { now } = useSite()
  const days = new Map<string, OrderEntry[]>()
  for (const job of jobs) {
    const day = formatDate(job.orderedAt, zone)
    days.set(day, [...(days.get(day) ?? []), job])
  }
  const decimals = longestDecimals(jobs.map(one => (one.kind === 'job' ? one.amount : one.paid)))
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <Heading end="USDC">{day === formatDate(now, zone) ? 'Today' : day}</Heading>
      <DayTable
        rows={ofDay.map(one => (one.kind === 'job' ? rowOfJob(one) : rowOfRun(one)))}
        decimals={decimals}
      />
    </section>
  ))
}

/** A job or a run as a row of the table. */
interface JobRow {
  /** The address of its page, which also serves as the key of the row. */
  readonly url: string
  /** Unix seconds. */
  readonly at: number
  readonly name: string
  /** The capability, or the steps of a flow. */
  readonly subject: ReactNode
  readonly outcome: OutcomeTag
  readonly elapsedMs: number | null
  /** Decimal USDC; undefined when nothing has been paid yet. */
  readonly paid: string | undefined
}

function rowOfJob(job: JobEntry): JobRow {
  const isPaid = job.outcome === 'paid' || job.outcome === 'undelivered'
  return {
    url: `/jobs/${job.jobId}${job.token === undefined ? '' : `#t=${job.token}`}`,
    at: job.orderedAt,
    name: job.agentName,
    subject: (
      <span className="mono quiet">
        <bdi>{job.capability}</bdi>
      </span>
    ),
    outcome: JOB_OUTCOMES[job.outcome],
    elapsedMs: job.elapsedMs,
    paid: isPaid ? job.amount : job.outcome === 'free' ? '0' : undefined,
  }
}

function rowOfRun(run: RunEntry): JobRow {
  const { steps, outcome, about } = run
  const isOver =
    outcome === 'paid' || outcome === 'failed' || outcome === 'cancelled' || outcome === 'refused'
  return {
    url: run.flowId === null ? `/runs/${run.runId}` : `/flows/${run.flowId}/runs/${run.runId}`,
    at: run.orderedAt,
    name: run.name === '' ? 'Unnamed flow' : run.name,
    subject: (
      <span className="quiet small">
        flow{steps !== undefined && steps.all > 0 && `, ${steps.done} of ${steps.all} paid steps done`}
        {about !== undefined && (
          <span className="about">
            <Words of={about} most={64} />
          </span>
        )}
      </span>
    ),
    outcome: RUN_OUTCOMES[outcome],
    elapsedMs: run.elapsedMs,
    paid: run.paid !== '0' || isOver ? run.paid : undefined,
  }
}

/** The tag of an outcome, and the text of the link to its page. */
interface OutcomeTag {
  readonly tag: string
  readonly sign?: SignName
  readonly words: string
  readonly more?: string
}

const JOB_OUTCOMES: { readonly [outcome in JobEntryOutcome]: OutcomeTag } = {
  running: { tag: 'tag info', sign: 'clock', words: 'running' },
  settling: { tag: 'tag warn', sign: 'clock', words: 'settling' },
  paid: { tag: 'tag paid', sign: 'check', words: 'paid', more: 'Receipt' },
  free: { tag: 'tag', words: 'not charged', more: 'Why' },
  waiting: { tag: 'tag warn', sign: 'clock', words: 'not known yet', more: 'Why' },
  undelivered: { tag: 'tag refused', sign: 'warn', words: 'charged, not delivered', more: 'Why' },
}

const RUN_OUTCOMES: { readonly [outcome in RunEntryOutcome]: OutcomeTag } = {
  sending: { tag: 'tag info', sign: 'clock', words: 'sending' },
  refused: { tag: 'tag', words: 'not started', more: 'Why' },
  running: { tag: 'tag info', sign: 'clock', words: 'running' },
  stopped: { tag: 'tag refused', sign: 'cross', words: 'stopped', more: 'Resume' },
  asking: { tag: 'tag warn', sign: 'clock', words: 'waiting for you', more: 'Continue' },
  waiting: { tag: 'tag info', sign: 'clock', words: 'waiting', more: 'Open' },
  paid: { tag: 'tag paid', sign: 'check', words: 'done', more: 'Steps' },
  failed: { tag: 'tag refused', sign: 'cross', words: 'failed', more: 'Why' },
  paused: { tag: 'tag', words: 'paused', more: 'Resume' },
  cancelled: { tag: 'tag', words: 'canceled', more: 'Steps' },
}

function DayTable(props: { readonly rows: readonly JobRow[]; readonly decimals: number }): ReactNode {
  const { rows, decimals } = props
  return (
    <Table
      className="cards job-table"
      rows={rows}
      keyOf={({ url }) => url}
      columns={[
        { head: 'Ordered', className: 'nowrap', cell: row => <OrderedAt row={row} /> },
        { head: 'Job', cell: row => <JobName row={row} /> },
        {
          head: 'Outcome',
          cell: ({ outcome: { tag, sign, words } }) => (
            <span className={tag}>
              {sign !== undefined && <Sign name={sign} />}
              {words}
            </span>
          ),
        },
        {
          head: <span className="unseen">More</span>,
          className: 'small',
          cell: ({ url, outcome: { more } }) => more !== undefined && <a href={url}>{more}</a>,
        },
        {
          head: 'Duration',
          look: 'num',
          className: 'num quiet',
          cell: ({ elapsedMs: ms }) => (ms === null ? '' : formatDuration(ms)),
        },
        { head: 'Paid', look: 'num', cell: ({ paid }) => <PaidAmount paid={paid} decimals={decimals} /> },
      ]}
    />
  )
}

function OrderedAt({ row: { at, paid } }: { readonly row: JobRow }): ReactNode {
  return (
    <span className="stub">
      <Hole punched={isPaid(paid)} />
      <When at={at} form="clock" />
    </span>
  )
}

function JobName({ row: { url, name, subject } }: { readonly row: JobRow }): ReactNode {
  return (
    <a className="plain" href={url}>
      <b>
        <Words of={name} most={64} />
      </b>{' '}
      {subject}
    </a>
  )
}

function PaidAmount(props: { readonly paid: string | undefined; readonly decimals: number }): ReactNode {
  const { paid, decimals } = props
  if (paid === undefined) return <span className="quiet">not yet</span>
  const amount = <Amount of={paid} decimals={decimals} />
  return isPaid(paid) ? <b>{amount}</b> : <span className="quiet">{amount}</span>
}

function isPaid(paid: string | undefined): boolean {
  return paid !== undefined && paid !== '0'
}
