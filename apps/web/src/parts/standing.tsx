import type { ReactNode } from 'react'

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

/** How an agent is now, in a word with its mark. */
export function Now(props: {
  readonly availability: 'waiting' | 'online' | 'offline'
  readonly failures?: number
}): ReactNode {
  const { availability, failures = 0 } = props
  if (availability === 'online' && failures >= 3)
    return <span className="now warned">{failures} checks failed</span>
  const words = { waiting: 'Not checked yet', online: 'Online', offline: 'Offline' }
  return <span className={`now ${availability}`}>{words[availability]}</span>
}
