import type { ReactNode } from 'react'
import { formatShare } from '../format/share.ts'
import { When } from './when.tsx'

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
