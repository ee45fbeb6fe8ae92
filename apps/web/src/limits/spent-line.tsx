import type { ReactNode } from 'react'
import { withCents } from '../format/amount.ts'
import { Transaction } from '../parts/short.tsx'
import { sumSpends, useJobSpends } from './use-job-spends.ts'

/** The tokens that an agent moved for a job in addition to its price; renders nothing if it moved none. */
export function SpentForJob({ payer, jobId }: { readonly payer: string; readonly jobId: string }): ReactNode {
  const spends = useJobSpends(payer, [jobId])?.get(jobId.toLowerCase()) ?? []
  if (spends.length === 0) return null
  return (
    <div className="spent-for">
      <p>
        <b>{withCents(sumSpends(spends))} USDC</b> was spent for this job, within{' '}
        <a href="/limits">your limit</a>
      </p>
      <ul>
        {spends.map(one => (
          <li key={`${one.transaction} ${one.amount} ${one.to}`} className="small">
            {withCents(one.amount)} in transaction <Transaction of={one.transaction} />
          </li>
        ))}
      </ul>
    </div>
  )
}
