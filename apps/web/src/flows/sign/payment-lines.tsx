import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { Address } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { Sign } from '../../signs/sign.tsx'
import type { LaterLine, PlannedLine, SigningPlan } from './plan-signing.ts'

/** All payments of a run: those signed now, with their agents and expiry, and those signed later, with the reason. */
export function PaymentLines(props: {
  readonly plan: SigningPlan
  /** The number of payments signed so far. */
  readonly signed: number
}): ReactNode {
  const { plan, signed } = props
  const { now, later, changes } = plan
  const decimals = longestDecimals([
    ...now.map(({ quote }) => quote.amount),
    ...later.map(({ price }) => price ?? ''),
  ])
  const wasOf = (key: string): string | undefined => changes.find(change => change.key === key)?.from
  return (
    <>
      <ol className="payments" aria-label="Signed now">
        {now.map((line, index) => (
          <NowLine
            key={line.key}
            line={line}
            decimals={decimals}
            was={wasOf(line.key)}
            isSigned={index < signed}
          />
        ))}
      </ol>
      {later.length > 0 && (
        <>
          <h3>Signed later</h3>
          <ul className="payments later">
            {later.map(line => (
              <LaterRow key={line.key} line={line} decimals={decimals} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function NowLine(props: {
  readonly line: PlannedLine
  readonly decimals: number
  readonly was: string | undefined
  readonly isSigned: boolean
}): ReactNode {
  const { line, decimals, was, isSigned } = props
  return (
    <li>
      <span className="top">
        <b>
          <Words of={line.name} most={64} />
        </b>{' '}
        <span className="mono quiet">
          <Words of={line.capability} most={64} />
        </span>
        <b className="end">
          {was !== undefined && (
            <>
              <s className="was">{was}</s> <span className="unseen">is now</span>{' '}
            </>
          )}
          <Amount of={line.quote.amount} decimals={decimals} />
        </b>
      </span>
      <span className="small">
        to <Address of={line.quote.pay_to} />, valid until <When at={line.usableUntil} form="clock" />
        {isSigned && (
          <span className="signed">
            <Sign name="check" /> signed
          </span>
        )}
      </span>
    </li>
  )
}

function LaterRow({ line, decimals }: { readonly line: LaterLine; readonly decimals: number }): ReactNode {
  return (
    <li>
      <span className="top">
        <span>
          <Words of={line.name} most={64} />
        </span>{' '}
        <span className="mono quiet">
          <Words of={line.capability} most={64} />
        </span>
        <span className="end">
          {line.most > 1 && `up to ${line.most} × `}
          {line.price === undefined ? 'price unavailable' : <Amount of={line.price} decimals={decimals} />}
        </span>
      </span>
      <span className="small">{line.why}</span>
    </li>
  )
}
