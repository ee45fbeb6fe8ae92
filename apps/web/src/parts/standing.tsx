import type { ReactNode } from 'react'
import { formatShare } from '../format/share.ts'
import { When } from './when.tsx'

/** The badges, the lowest first. */
export type Badge = 'none' | 'verified' | 'bronze' | 'silver' | 'gold'

const PUNCHES: { readonly [badge in Badge]: number } = { none: 0, verified: 1, bronze: 2, silver: 3, gold: 4 }

/** A badge as punched holes, with its name. */
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

/** The result of an agent's last check, as a word with a mark, and the time of that check. */
export function Now(props: {
  readonly availability: 'waiting' | 'online' | 'offline'
  readonly failures?: number
  /** Unix seconds; null when it has never been checked. */
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

/** Whether an agent has been checked for at least this many days. */
export function isWatchedFor(days: number, since: number | null, now: number): boolean {
  return since === null || now - since >= days * DAY
}

/** The share of passed checks since the first check. It does not cover earlier days, on which there were no checks. */
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
