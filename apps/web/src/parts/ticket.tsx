import type { ReactNode } from 'react'

/** A ticket: its subject above the tear line, its recipient, sender and validity below. */
export function Ticket(props: {
  readonly label: string
  readonly top: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <section className="ticket" aria-label={props.label}>
      <div className="part">{props.top}</div>
      <div className="tear" />
      <div className="part">{props.children}</div>
    </section>
  )
}

/** The first line of a ticket: its kind, its state, and its hole. */
export function TicketTitle(props: {
  readonly children: ReactNode
  readonly end: ReactNode
  readonly hole?: ReactNode
}): ReactNode {
  const { children, end, hole } = props
  return (
    <div className="kind">
      {children}
      <span className="end">{end}</span>
      {hole}
    </div>
  )
}

/**
 * The hole of a ticket: open before money moves, punched once the transfer is in a block, and never punched if nothing was
 * charged.
 */
export function Hole({
  punched = false,
  fresh = false,
}: {
  readonly punched?: boolean
  readonly fresh?: boolean
}): ReactNode {
  const names = ['hole', ...(punched ? ['punched'] : []), ...(fresh ? ['fresh'] : [])]
  return <span className={names.join(' ')} aria-hidden="true" />
}

/** The sum of a ticket. It is struck through if it was not charged, which the text next to it says too. */
export function Sum(props: {
  readonly amount: string
  readonly unit?: string
  readonly struck?: boolean
}): ReactNode {
  const { amount, unit = 'USDC', struck = false } = props
  return (
    <div className="sum">
      {struck ? <s>{amount}</s> : amount}
      <small>{unit}</small>
    </div>
  )
}

/** The lines of a ticket, each with a label and a value. */
export function Lines({
  of,
}: {
  readonly of: readonly (readonly [word: string, what: ReactNode] | undefined)[]
}): ReactNode {
  return (
    <dl>
      {of.map(
        line =>
          line !== undefined && (
            <Line key={line[0]} word={line[0]}>
              {line[1]}
            </Line>
          ),
      )}
    </dl>
  )
}

function Line({ word, children }: { readonly word: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{word}</dt>
      <dd>{children}</dd>
    </>
  )
}
