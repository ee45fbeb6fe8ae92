import type { ReactNode } from 'react'
import { Hole, Lines, Sum, Ticket } from '../parts/ticket.tsx'

/** The ticket of a job that has not been ordered: the payment that will be signed. */
export function FareTicket(props: {
  readonly label: string
  /** Decimal USDC. */
  readonly amount: string
  readonly lines: Parameters<typeof Lines>[0]['of']
}): ReactNode {
  const { label, amount, lines } = props
  const top = (
    <>
      <div className="kind">
        <b>Fare</b>
        <span className="end">not signed yet</span>
        <Hole />
      </div>
      <Sum amount={amount} />
    </>
  )
  return (
    <Ticket label={label} top={top}>
      <Lines of={lines} />
    </Ticket>
  )
}
