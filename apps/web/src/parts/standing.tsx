import type { ReactNode } from 'react'
import { formatShare } from '../format/share.ts'
import { When } from './when.tsx'

/** A badge, the lowest first. */
export type Badge = 'none' | 'verified' | 'bronze' | 'silver' | 'gold'

const PUNCHES: { readonly [badge in Badge]: number } = { none: 0, verified: 1, bronze: 2, silver: 3, gold: 4 }

/** A badge as punches, with its word. */
export function Standing({ badge }: { readonly badge: Badge }): ReactNode {
  const punched = PUNCHES[badge]
  return (
    <span className="standing">
      <span className="punches" aria-hidden="true">
        {[1, 2, 3, 4].map(number => (
          <i key={number} className={number <= punched ? 'on' : undefined} />
        ))}
      </span>
      {badge === 'none' ? 'no badge' : badge}
    </span>
  )
}

/** How an agent was at its last check, in a word with its mark, and when that was. */
export function Now(props: {
  readonly availability: 'waiting' | 'online' | 'offline'
  readonly failures?: number
  /** Unix seconds; null: never. */
  readonly checkedAt: number | null
}): ReactNode {
  const { availability, failures = 0, checkedAt } = props
  const isWarned = availability === 'online' && failures >= 3
  const words = { waiting: 'Not checked yet', online: 'Online', offline: 'Offline' }
  return (
    <span className="now-line">
      <span className={`now ${isWarned ? 'warned' : availability}`}>
        {isWarned ? `${failures} checks failed` : words[availability]}
      </span>
      {checkedAt !== null && (
        <small>
          {' '}
          checked <When at={checkedAt} />
        </small>
      )}
    </span>
  )
}

const DAY = 86_400

/** Whether an agent has been watched for so many days. */
export function isWatchedFor(days: number, since: number | null, now: number): boolean {
  return since === null || now - since >= days * DAY
}

/** A share of checks that passed, since an agent is watched: it is not that of days that nobody saw. */
export function UptimeSince(props: { readonly share: number; readonly since: number | null }): ReactNode {
  const { share, since } = props
  return (
    <>
      {formatShare(share)}
      {since !== null && (
        <>
          {' '}
          since <When at={since} form="since" />
        </>
      )}
    </>
  )
}
