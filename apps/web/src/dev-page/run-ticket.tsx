import type { ReactNode } from 'react'
import { Address, Hash } from '../parts/short.tsx'
import { Hole, Lines, Sum, Ticket } from '../parts/ticket.tsx'
import { useReceiptHash } from '../quick-execute/use-receipt-hash.ts'
import { Bars } from '../signs/bars.tsx'
import { Sign } from '../signs/sign.tsx'
import { readOutcome } from './run.ts'
import type { RunAnswer, ServedAgent, ServedCapability, Settled } from './wire.ts'

/** What a job would be paid with, before there is one. */
export function Fare(props: {
  readonly agent: ServedAgent
  readonly capability: ServedCapability
}): ReactNode {
  const { agent, capability } = props
  return (
    <Ticket
      label="Fare for the test wallet"
      top={
        <>
          <div className="kind">
            <b>Fare</b>
            <span className="end">not signed yet</span>
            <Hole />
          </div>
          <Sum amount={capability.price} />
        </>
      }
    >
      <Lines
        of={[
          ['Job', <JobName key="job" agent={agent} capability={capability.name} />],
          ['Paid to', <Address key="to" of={agent.wallet} />],
          ['Paid from', 'the test wallet, on a local chain'],
          ['Time', `Up to ${agent.max_deadline_seconds} s`],
        ]}
      />
    </Ticket>
  )
}

/** A job's money: punched when the transfer is in a block, and never when nothing was charged. */
export function RunTicket(props: {
  readonly agent: ServedAgent
  readonly capability: string
  readonly answer: RunAnswer
}): ReactNode {
  const { agent, capability, answer } = props
  const { settled, status } = answer
  const hash = useReceiptHash(answer.job_id)
  const job = ['Job', <JobName key="job" agent={agent} capability={capability} />] as const
  if (settled !== null)
    return (
      <Ticket
        label="Job ticket"
        top={
          <>
            <div className="kind">
              <span className="stamp paid">
                <Sign name="check" /> Settled
              </span>
              <span className="end">test money</span>
              <Hole punched fresh />
            </div>
            <Sum amount={settled.amount} unit="USDC settled" />
          </>
        }
      >
        <Lines
          of={[
            job,
            ['Paid to', <Wallet key="to" of={settled.pay_to} settled={settled} whose="agent" />],
            ['From', <Wallet key="from" of={settled.payer} settled={settled} whose="payer" />],
            settled.transaction === null
              ? undefined
              : [
                  'Transfer',
                  <span key="transfer">
                    <Hash of={settled.transaction} />
                    {settled.block_number !== null && ` in block ${settled.block_number}`}
                  </span>,
                ],
          ]}
        />
        {hash !== undefined && <Bars hash={hash} />}
      </Ticket>
    )
  // A 400, 402, 408 or 500 means that nothing was charged; of anything else nobody knows yet.
  const isFree = status === 400 || status === 402 || status === 408 || status === 500
  const outcome = readOutcome(answer)
  const name = outcome.kind === 'refused' ? outcome.name : 'Not delivered'
  return (
    <Ticket
      label="Job ticket"
      top={
        <>
          <div className="kind">
            <span className={isFree ? 'stamp refused' : 'stamp'}>
              <Sign name={isFree ? 'cross' : 'clock'} /> {isFree ? name : 'Outcome unknown'}
            </span>
            <span className="end">test money</span>
            <Hole />
          </div>
          <div className="sum">{isFree ? 'Not charged' : 'Not charged so far'}</div>
        </>
      }
    >
      <Lines of={[job]} />
    </Ticket>
  )
}

function JobName(props: { readonly agent: ServedAgent; readonly capability: string }): ReactNode {
  return (
    <>
      <bdi>{props.agent.name}</bdi>, <span className="mono">{props.capability}</span>
    </>
  )
}

/** A wallet with what it holds now, and what the job changed. */
function Wallet(props: {
  readonly of: string
  readonly settled: Settled
  readonly whose: 'payer' | 'agent'
}): ReactNode {
  const { of, settled, whose } = props
  const holds = settled.balances?.[whose]
  return (
    <>
      <Address of={of} />
      {holds !== undefined && (
        <span className="holds num">
          {holds} USDC ({whose === 'payer' ? '−' : '+'}
          {settled.amount})
        </span>
      )}
    </>
  )
}
