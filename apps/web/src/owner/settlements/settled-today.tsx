import type { SettlementLimit } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/share.ts'
import { Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { When } from '../../parts/when.tsx'
import { LimitSources } from './limit-sources.tsx'

const NEAR = 0.8

/**
 * An owner's settlements of the UTC day against the limit, a warning when it is nearly reached, and the sources of the
 * limit.
 */
export function SettledToday({ limit }: { readonly limit: SettlementLimit }): ReactNode {
  const { used_today: used, daily_limit: most, sponsorship, rule } = limit
  return (
    <div>
      <Heading look="ruled">Settled today</Heading>
      <p className="above">
        <b className="num">{formatCount(used)}</b>
        {most === null ? ' payments, no limit' : ` of ${formatCount(most)} payments`}
      </p>
      {most !== null && (
        <meter
          className="used"
          min={0}
          max={most}
          value={Math.min(used, most)}
          // Green; amber from four fifths of the limit on; red when nothing is left.
          optimum={0}
          low={NEAR * most}
          high={most - 0.5}
          aria-label="Payments settled today"
        >
          {used} of {most}
        </meter>
      )}
      <LimitNotice limit={limit} />
      <p className="small quiet">
        The facilitator pays the gas for settlements. Each day starts at midnight UTC.
        {sponsorship === 'unlisted' && (
          <>
            {' '}
            To raise the limit, <a href="/register">register an agent</a>
            {rule === null ? '.' : ` to get at least ${formatCount(rule.at_least)} per day.`}
          </>
        )}
      </p>
      {sponsorship === 'listed' && rule !== null && <LimitSources limit={limit} rule={rule} />}
    </div>
  )
}

function LimitNotice({ limit }: { readonly limit: SettlementLimit }): ReactNode {
  const { state, expected_at: expectedAt, resets_at: resetsAt } = limit
  if (state === 'open') return null
  if (state === 'used_up') {
    return (
      <Note tone="refused">
        <p>
          <b>Today’s settlements are used up.</b> The facilitator will refuse new payments until{' '}
          <When at={resetsAt} form="since" /> or until the limit is raised. Payments that were already charged
          will still be settled.
        </p>
      </Note>
    )
  }
  return (
    <Note tone="warn">
      <p>
        <b>80% of today’s settlements are used.</b>{' '}
        {expectedAt === null ? (
          'At today’s pace, the rest will last until the end of the day.'
        ) : (
          <>
            At today’s pace, the rest will last until <When at={expectedAt} form="since" />. After that, new
            payments will be refused until <When at={resetsAt} form="since" />.
          </>
        )}
      </p>
    </Note>
  )
}
