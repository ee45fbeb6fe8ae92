import type { ReactNode } from 'react'
import { withCents } from '../format/amount.ts'
import { When } from '../parts/when.tsx'
import type { Cover } from './find-cover.ts'

/** The state of a permission in one line. */
export function CoverLine({ cover }: { readonly cover: Cover | undefined }): ReactNode {
  if (cover === undefined) return 'up to a limit that you set'
  switch (cover.kind) {
    case 'covered': {
      const { limit, left, expires_at: end } = cover.permission
      return (
        <>
          up to <b>{withCents(limit)}</b> each time, {withCents(left)} left, until{' '}
          <When at={end} form="date" />
          {cover.isShort === 'approval' && '; the approval is lower'}
          {cover.isShort === 'wallet' && '; the wallet balance is lower'}
        </>
      )
    }
    case 'over':
      return `nothing now, because the limit ${OVER[cover.permission.state]}`
    case 'none':
      return 'nothing yet, because no limit is set'
  }
}

const OVER = { active: 'is over', 'used-up': 'is used up', expired: 'has expired', revoked: 'was revoked' }
