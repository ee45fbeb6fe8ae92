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
import type { ListedJob, Outcome } from './use-jobs.ts'

/** Jobs by the day on which they were ordered. */
export function JobTable({ jobs }: { readonly jobs: readonly ListedJob[] }): ReactNode {
  const zone = useZone()
  const { now } = useSite()
  const days = new Map<string, ListedJob[]>()
  for (const job of jobs) {
    const day = formatDate(job.orderedAt, zone)
    days.set(day, [...(days.get(day) ?? []), job])
  }
  const decimals = longestDecimals(jobs.map(({ amount }) => amount))
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <div className="heading">
        <h2>{day === formatDate(now, zone) ? 'Today' : day}</h2>
        <span className="end">USDC</span>
      </div>
      <table className="job-table">
        <thead>
          <tr>
            <th scope="col">Ordered</th>
            <th scope="col">Job</th>
            <th scope="col">Outcome</th>
            <th scope="col">
              <span className="unseen">More</span>
            </th>
            <th scope="col" className="num">
              Took
            </th>
            <th scope="col" className="num">
              Paid
            </th>
          </tr>
        </thead>
        <tbody>
          {ofDay.map(job => (
            <Row key={job.jobId} job={job} decimals={decimals} />
          ))}
        </tbody>
      </table>
    </section>
  ))
}

const OUTCOMES: {
  readonly [outcome in Outcome]: {
    readonly tag: string
    readonly sign?: SignName
    readonly words: string
    /** What its page has to say of it. */
    readonly more?: string
  }
} = {
  running: { tag: 'tag info', sign: 'clock', words: 'running' },
  settling: { tag: 'tag warn', sign: 'clock', words: 'settling' },
  paid: { tag: 'tag paid', sign: 'check', words: 'paid', more: 'Receipt' },
  free: { tag: 'tag', words: 'not charged', more: 'Why' },
  waiting: { tag: 'tag warn', sign: 'clock', words: 'no answer', more: 'Why' },
  undelivered: { tag: 'tag refused', sign: 'warn', words: 'charged, not delivered', more: 'Why' },
}

function Row({ job, decimals }: { readonly job: ListedJob; readonly decimals: number }): ReactNode {
  const { tag, sign, words, more } = OUTCOMES[job.outcome]
  const url = `/jobs/${job.jobId}${job.token === undefined ? '' : `#t=${job.token}`}`
  const isPaid = job.outcome === 'paid' || job.outcome === 'undelivered'
  return (
    <tr>
      <td className="nowrap">
        <span className="stub">
          <Hole punched={isPaid} />
          <When at={job.orderedAt} form="clock" />
        </span>
      </td>
      <td>
        <a className="bare" href={url}>
          <b>
            <Words of={job.agentName} most={64} />
          </b>{' '}
          <span className="mono quiet">
            <bdi>{job.capability}</bdi>
          </span>
        </a>
      </td>
      <td>
        <span className={tag}>
          {sign !== undefined && <Sign name={sign} />}
          {words}
        </span>
      </td>
      <td className="small">{more !== undefined && <a href={url}>{more}</a>}</td>
      <td className="num quiet">{job.elapsedMs === null ? '' : formatDuration(job.elapsedMs)}</td>
      <td className="num">
        {isPaid ? (
          <b>
            <Amount of={job.amount} decimals={decimals} />
          </b>
        ) : job.outcome === 'free' ? (
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
