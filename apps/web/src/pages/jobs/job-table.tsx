import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatDate } from '../../format/time.ts'
import { Amount } from '../../parts/amount.tsx'
import { Hole } from '../../parts/ticket.tsx'
import { useZone, When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { useSite } from '../../site/site.ts'
import { Sign, type SignName } from '../../signs/sign.tsx'
import type { Listed, ListedJob, ListedRun, Outcome, RunOutcome } from './listed.ts'
import { TableHead } from '../../parts/table.tsx'

/** Jobs and runs by the day on which they were ordered. */
export function JobTable({ jobs }: { readonly jobs: readonly Listed[] }): ReactNode {
  const zone = useZone()
  const { now } = useSite()
  const days = new Map<string, Listed[]>()
  for (const job of jobs) {
    const day = formatDate(job.orderedAt, zone)
    days.set(day, [...(days.get(day) ?? []), job])
  }
  const decimals = longestDecimals(jobs.map(one => (one.kind === 'job' ? one.amount : one.paid)))
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <div className="heading">
        <h2>{day === formatDate(now, zone) ? 'Today' : day}</h2>
        <span className="end">USDC</span>
      </div>
      <table className="job-table">
        <TableHead
          of={[
            'Ordered',
            'Job',
            'Outcome',
            <span className="unseen">More</span>,
            ['Duration', 'num'],
            ['Paid', 'num'],
          ]}
        />
        <tbody>
          {ofDay.map(one =>
            one.kind === 'job' ? (
              <JobRow key={one.jobId} job={one} decimals={decimals} />
            ) : (
              <RunRow key={one.runId} run={one} decimals={decimals} />
            ),
          )}
        </tbody>
      </table>
    </section>
  ))
}

/** How an outcome is tagged, and what its page has to say of it. */
interface Told {
  readonly tag: string
  readonly sign?: SignName
  readonly words: string
  readonly more?: string
}

const OUTCOMES: { readonly [outcome in Outcome]: Told } = {
  running: { tag: 'tag info', sign: 'clock', words: 'running' },
  settling: { tag: 'tag warn', sign: 'clock', words: 'settling' },
  paid: { tag: 'tag paid', sign: 'check', words: 'paid', more: 'Receipt' },
  free: { tag: 'tag', words: 'not charged', more: 'Why' },
  waiting: { tag: 'tag warn', sign: 'clock', words: 'not known yet', more: 'Why' },
  undelivered: { tag: 'tag refused', sign: 'warn', words: 'charged, not delivered', more: 'Why' },
}

const RUN_OUTCOMES: { readonly [outcome in RunOutcome]: Told } = {
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

function JobRow({ job, decimals }: { readonly job: ListedJob; readonly decimals: number }): ReactNode {
  const url = `/jobs/${job.jobId}${job.token === undefined ? '' : `#t=${job.token}`}`
  const isPaid = job.outcome === 'paid' || job.outcome === 'undelivered'
  return (
    <Row
      url={url}
      at={job.orderedAt}
      name={job.agentName}
      what={
        <span className="mono quiet">
          <bdi>{job.capability}</bdi>
        </span>
      }
      told={OUTCOMES[job.outcome]}
      elapsedMs={job.elapsedMs}
      paid={isPaid ? job.amount : job.outcome === 'free' ? '0' : undefined}
      decimals={decimals}
    />
  )
}

function RunRow({ run, decimals }: { readonly run: ListedRun; readonly decimals: number }): ReactNode {
  const { steps, outcome } = run
  const isOver =
    outcome === 'paid' || outcome === 'failed' || outcome === 'cancelled' || outcome === 'refused'
  return (
    <Row
      url={run.flowId === null ? `/runs/${run.runId}` : `/flows/${run.flowId}/runs/${run.runId}`}
      at={run.orderedAt}
      name={run.name === '' ? 'Unnamed flow' : run.name}
      what={
        <span className="quiet small">
          flow{steps !== undefined && steps.all > 0 && `, ${steps.done} of ${steps.all} paid steps done`}
          {run.about !== undefined && (
            <span className="about">
              <Words of={run.about} most={64} />
            </span>
          )}
        </span>
      }
      told={RUN_OUTCOMES[outcome]}
      elapsedMs={run.elapsedMs}
      paid={run.paid !== '0' || isOver ? run.paid : undefined}
      decimals={decimals}
    />
  )
}

function Row(props: {
  readonly url: string
  /** Unix seconds. */
  readonly at: number
  readonly name: string
  readonly what: ReactNode
  readonly told: Told
  readonly elapsedMs: number | null
  /** Decimal USDC; undefined: nothing so far. */
  readonly paid: string | undefined
  readonly decimals: number
}): ReactNode {
  const { url, at, name, what, told, elapsedMs, paid, decimals } = props
  const { tag, sign, words, more } = told
  const isPaid = paid !== undefined && paid !== '0'
  return (
    <tr>
      <td className="nowrap">
        <span className="stub">
          <Hole punched={isPaid} />
          <When at={at} form="clock" />
        </span>
      </td>
      <td>
        <a className="bare" href={url}>
          <b>
            <Words of={name} most={64} />
          </b>{' '}
          {what}
        </a>
      </td>
      <td>
        <span className={tag}>
          {sign !== undefined && <Sign name={sign} />}
          {words}
        </span>
      </td>
      <td className="small">{more !== undefined && <a href={url}>{more}</a>}</td>
      <td className="num quiet">{elapsedMs === null ? '' : formatDuration(elapsedMs)}</td>
      <td className="num">
        {isPaid ? (
          <b>
            <Amount of={paid} decimals={decimals} />
          </b>
        ) : paid === '0' ? (
          <span className="quiet">
            <Amount of="0" decimals={decimals} />
          </span>
        ) : (
          <span className="quiet">not yet</span>
        )}
      </td>
    </tr>
  )
}
