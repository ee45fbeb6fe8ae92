import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { ReactNode } from 'react'
import { groupDigits } from '../format/amount.ts'
import { formatDuration } from '../format/duration.ts'
import type { SignedOrder } from '../kept/order.ts'
import { SpentForJob } from '../limits/spent-line.tsx'
import { Address, Hash, Transaction } from '../parts/short.tsx'
import { Hole, Lines, Sum, Ticket } from '../parts/ticket.tsx'
import { When } from '../parts/when.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { Bars } from '../signs/bars.tsx'
import { Sign } from '../signs/sign.tsx'

interface Props {
  readonly job: JobAnswer
  readonly order: Pick<SignedOrder, 'pay_to' | 'wallet'> | undefined
  /** Unix seconds. */
  readonly now: number
  /** Whether it became paid while the page was open. */
  readonly isFresh: boolean
  /** SHA-256 of the job's id, which identifies its receipt; undefined until it is computed. */
  readonly receiptHash: string | undefined
  /** Whether its capability declares that it moves tokens of its caller. */
  readonly mayMove?: boolean
  readonly children?: ReactNode
}

/** A job as a ticket. It is punched once the job is paid, and never if nothing was charged. */
export function JobTicket(props: Props): ReactNode {
  const { job, now, isFresh, receiptHash, mayMove = false, children } = props
  const charge = <Charge job={job} now={now} />
  return (
    <Ticket
      label="Job ticket"
      top={
        <>
          <div className="kind">
            <Stamp job={job} />
            <span className="end">
              <When at={job.finished_at ?? job.created_at} form="exact" />
            </span>
            <Hole punched={job.charged === true} fresh={isFresh && job.charged === true} />
          </div>
          {isFree(job) ? charge : <Sum amount={job.amount} />}
        </>
      }
    >
      <TicketLines {...props} />
      {mayMove && isOver(job) && <SpentForJob payer={job.payer} jobId={job.job_id} />}
      {!isFree(job) && charge}
      {children}
      {receiptHash !== undefined && job.charged === true && <Bars hash={receiptHash} />}
    </Ticket>
  )
}

function TicketLines({ job, order, receiptHash }: Props): ReactNode {
  const { transaction, block_number: block } = job.payment
  return (
    <Lines
      of={[
        [
          'Job',
          <>
            <bdi>{job.agent_name}</bdi>, <span className="mono">{job.capability}</span>
            {job.elapsed_ms !== null && `, ${formatDuration(job.elapsed_ms)}`}
          </>,
        ],
        order && [job.charged ? 'Paid to' : 'Payee', <Address key="to" of={order.pay_to} />],
        ['From', <Payer key="from" job={job} order={order} />],
        transaction === null ? undefined : ['Transfer', <Transaction key="transfer" of={transaction} />],
        block === null ? undefined : ['Block', String(block)],
        receiptHash === undefined || job.receipt === null
          ? undefined
          : [
              'Receipt',
              <>
                <Hash of={receiptHash} /> signed by this platform
              </>,
            ],
      ]}
    />
  )
}

/** The wallet that pays; with its balance if it is the wallet of this page. */
function Payer({ job, order }: Pick<Props, 'job' | 'order'>): ReactNode {
  const { wallet, balance } = usePurse()
  if (order === undefined) return <Address of={job.payer} />
  const isOfThisPage = wallet?.address.toLowerCase() === job.payer.toLowerCase()
  return (
    <>
      <bdi>{order.wallet}</bdi>, <Address of={job.payer} />
      {isOfThisPage && balance !== undefined && `, now has ${groupDigits(balance.usdc)} USDC`}
    </>
  )
}

function Stamp({ job }: { readonly job: JobAnswer }): ReactNode {
  if (job.charged_without_delivery)
    return (
      <span className="stamp refused">
        <Sign name="warn" /> Charged, not delivered
      </span>
    )
  if (job.charged)
    return (
      <span className="stamp paid">
        <Sign name="check" /> Paid
      </span>
    )
  if (isFree(job)) return <b className="uncharged">Not charged</b>
  return (
    <span className="stamp">
      <Sign name="clock" /> {job.status === 'pending' ? 'Settling' : 'Charge status unknown'}
    </span>
  )
}

/** A sentence that says whether the payment can still be charged. */
function Charge({ job, now }: { readonly job: JobAnswer; readonly now: number }): ReactNode {
  const { payment } = job
  if (job.charged_without_delivery)
    return <p className="aside">This counts against the agent. The platform cannot promise a refund.</p>
  if (job.charged || job.status === 'sent' || job.status === 'pending') return null
  if (payment.status === 'unpaid' || now > payment.usable_until + 30)
    return (
      <p className="aside">The signature was not used and is no longer valid, so you cannot be charged.</p>
    )
  if (isFree(job))
    return (
      <p className="aside">
        The platform is watching the chain until <When at={payment.usable_until} form="clock" /> to confirm
        that the signature is not used after all.
      </p>
    )
  return (
    <p className="aside">
      It is not known yet whether you will be charged, because the signature can still be used. The platform
      is watching the chain until <When at={payment.usable_until} form="clock" />, when the outcome will be
      final. Any charge will appear here.
    </p>
  )
}

/** Whether the agent can no longer move tokens for the job. */
function isOver({ status }: JobAnswer): boolean {
  return status === 'completed' || status === 'failed'
}

/** Whether it is certain that nothing was charged. */
function isFree({ charged }: JobAnswer): boolean {
  return charged === false
}
