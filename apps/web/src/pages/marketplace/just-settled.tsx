import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'

/** The newest jobs that were paid: whose, which capability, how much. Never what was in them, nor who paid. */
export function JustSettled({ receipts }: { readonly receipts: PublicReceipts['receipts'] }): ReactNode {
  if (receipts.length === 0) return null
  const decimals = longestDecimals(receipts.map(({ amount }) => amount))
  return (
    <section>
      <div className="heading ruled">
        <h2>Just settled</h2>
        <span className="end">USDC</span>
      </div>
      <ul className="settled">
        {receipts.map(({ hash, agent_id, agent_name, capability, amount, at }) => (
          <li key={hash}>
            <span className="what">
              <a href={`/agents/${agent_id}`}>
                <Words of={agent_name} most={64} />
              </a>{' '}
              <span className="faint">
                <bdi>{capability}</bdi>
              </span>
            </span>
            <span className="when">
              <When at={at} />
            </span>
            <span className="num">
              <Amount of={amount} decimals={decimals} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
