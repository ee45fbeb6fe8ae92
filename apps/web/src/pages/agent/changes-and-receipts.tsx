import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import type { DeclarationHistory } from '@farebox/platform-api/registry'
import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Hash } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'

const MOST_CHANGES = 3

/** The changes of the agent's declaration, and its newest paid jobs. */
export function ChangesAndReceipts(props: {
  readonly agentId: number
  readonly history: DeclarationHistory | null
  readonly receipts: PublicReceipts['receipts']
}): ReactNode {
  const { agentId, history, receipts } = props
  return (
    <section>
      <div className="two">
        <div id="changes">
          <Heading look="ruled" end={<a href={`/v1/agents/${agentId}/declarations`}>All versions (JSON)</a>}>
            Changes
          </Heading>
          <Changes history={history} />
        </div>
        <div id="receipts">
          <Heading look="ruled" end="jobs are private, and only their hashes are public">
            Receipts
          </Heading>
          <Receipts receipts={receipts} />
        </div>
      </div>
    </section>
  )
}

const TONES: { readonly [severity: string]: string } = {
  price: 'tag warn',
  breaking: 'tag refused',
  wallet: 'tag refused',
}

function Changes({ history }: { readonly history: DeclarationHistory | null }): ReactNode {
  if (history === null || history.declarations.length === 0)
    return <p className="nothing faint">The platform has not read a declaration yet.</p>
  return (
    <ul className="log">
      {history.declarations.map(({ version, read_at: at, severity, changes }) => (
        <li key={version}>
          <span className="faint">
            <When at={at} />
          </span>
          <span>
            <span className={TONES[severity] ?? 'tag'}>{severity}</span>{' '}
            {severity === 'first'
              ? 'Registered'
              : changes.slice(0, MOST_CHANGES).map(({ sentence }) => (
                  <span key={sentence} className="change">
                    <Words of={sentence} />
                  </span>
                ))}
            {changes.length > MOST_CHANGES && ` and ${changes.length - MOST_CHANGES} more`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Receipts({ receipts }: { readonly receipts: PublicReceipts['receipts'] }): ReactNode {
  if (receipts.length === 0) return <p className="nothing faint">No public receipts yet.</p>
  const decimals = longestDecimals(receipts.map(({ amount }) => amount))
  return (
    <ul className="log receipts">
      {receipts.map(({ hash, capability, amount, at }) => (
        <li key={hash}>
          <span className="faint">
            <When at={at} />
          </span>
          <a className="plain" href={`/receipts/${hash}`}>
            <Hash of={hash} />
          </a>
          <span>
            <bdi>{capability}</bdi>
          </span>
          <b className="num">
            <Amount of={amount} decimals={decimals} />
          </b>
        </li>
      ))}
    </ul>
  )
}
