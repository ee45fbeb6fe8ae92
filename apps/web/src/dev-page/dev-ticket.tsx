import type { ReactNode } from 'react'
import { FareTicket } from '../job-view/fare-ticket.tsx'
import { Address, Hash } from '../parts/short.tsx'
import { Hole, Lines, Sum, Ticket } from '../parts/ticket.tsx'
import { useReceiptHash } from '../quick-execute/use-receipt-hash.ts'
import { Bars } from '../signs/bars.tsx'
import { Sign } from '../signs/sign.tsx'
import { readDevAnswer } from './dev-run.ts'
import type { DevAgent, DevAnswer, DevCapability, Settled } from './wire.ts'

/** The ticket of a job that was not run: the payment that the test wallet will sign. */
export function DevFare(props: { readonly agent: DevAgent; readonly capability: DevCapability }): ReactNode {
  const { agent, capability } = props
  return (
    <FareTicket
      label="Fare for the test wallet"
      amount={capability.price}
      lines={[
        ['Job', <JobName key="job" agent={agent} capability={capability.name} />],
        ['Paid to', <Address key="to" of={agent.wallet} />],
        ['Paid from', 'the test wallet, on a local chain'],
        ['Time', `Up to ${agent.max_deadline_seconds} s`],
      ]}
    />
  )
}

interface Props {
  readonly agent: DevAgent
  readonly capability: string
  readonly answer: DevAnswer
}

/** The ticket of a job. It is punched once the transfer is in a block, and never if nothing was charged. */
export function DevTicket(props: Props): ReactNode {
  const { settled } = props.answer
  return settled === null ? <UnsettledTicket {...props} /> : <SettledTicket {...props} settled={settled} />
}

function SettledTicket(props: Props & { readonly settled: Settled }): ReactNode {
  const { agent, capability, answer, settled } = props
  const hash = useReceiptHash(answer.job_id)
  const { transaction, block_number: block } = settled
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
          ['Job', <JobName key="job" agent={agent} capability={capability} />],
          ['Paid to', <Wallet key="to" of={settled.pay_to} settled={settled} whose="agent" />],
          ['From', <Wallet key="from" of={settled.payer} settled={settled} whose="payer" />],
          transaction === null
            ? undefined
            : [
                'Transfer',
                <span key="transfer">
                  <Hash of={transaction} />
                  {block !== null && ` in block ${block}`}
                </span>,
              ],
        ]}
      />
      {hash !== undefined && <Bars hash={hash} />}
    </Ticket>
  )
}

function UnsettledTicket({ agent, capability, answer }: Props): ReactNode {
  const { status } = answer
  // A 400, 402, 408 or 500 means that nothing was charged; after any other status that is not known yet.
  const isFree = status === 400 || status === 402 || status === 408 || status === 500
  const result = readDevAnswer(answer)
  const name = result.kind === 'refused' ? result.name : 'Not delivered'
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
      <Lines of={[['Job', <JobName key="job" agent={agent} capability={capability} />]]} />
    </Ticket>
  )
}

function JobName(props: { readonly agent: DevAgent; readonly capability: string }): ReactNode {
  return (
    <>
      <bdi>{props.agent.name}</bdi>, <span className="mono">{props.capability}</span>
    </>
  )
}

/** A wallet with its current balance and the difference that the job made. */
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
