import type { Graph } from '@farebox/flows/graph/graph'
import type { RunAnswer, RunJob, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import { useState, type ReactNode } from 'react'
import { nameStop } from '../../flows/describe/name-stop.ts'
import { isChargedForNothing } from '../../flows/run-view/job-words.ts'
import { fromAtomic, groupDigits, longestDecimals, toAtomic, withCents } from '../../format/amount.ts'
import { sumSpends, type JobSpends } from '../../limits/use-job-spends.ts'
import { Amount } from '../../parts/amount.tsx'
import { Address, Hash } from '../../parts/short.tsx'
import { Hole } from '../../parts/ticket.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'

/** A run as a ticket, with a coupon for each paid step that is punched once the step is paid. */
export function RunTicket(props: {
  readonly graph: Graph
  readonly run: RunAnswer
  /** The payer's tokens that agents moved, by job; undefined when it is not known. */
  readonly spends: JobSpends | undefined
  /** Unix seconds. */
  readonly now: number
}): ReactNode {
  const { graph, run, spends, now } = props
  const moved = sumSpends([...(spends?.values() ?? [])].flat())
  const steps = run.steps.filter(({ step }) => graph.flow.steps[step]?.kind === 'job')
  const coupons = steps.map(step => couponOf(graph, step))
  const decimals = longestDecimals(coupons.map(({ amount }) => amount))
  /** Coupons that were paid before the page was opened; their punching is not animated. */
  const [before] = useState(() => new Set(coupons.filter(({ isPaid }) => isPaid).map(({ id }) => id)))
  return (
    <section className="ticket run-ticket" aria-label="Run ticket">
      <div className="part">
        <div className="kind">
          <b>Run ticket</b>
          <span className="end tiny">
            <Hash of={run.run_id} />
          </span>
        </div>
        <div className="sum">
          {groupDigits(run.paid)}
          <small>USDC</small>
        </div>
        <p className="on-stock">paid out of a maximum of {groupDigits(run.max_total)}</p>
        {moved > 0n && (
          <p className="on-stock">
            <b>{withCents(moved)} USDC</b> also spent by agents, within <a href="/limits">your limits</a>
          </p>
        )}
      </div>
      <ul className="coupons">
        {coupons.map(coupon => (
          <li key={coupon.id}>
            <div className="tear" />
            <CouponPart
              coupon={coupon}
              decimals={decimals}
              isFresh={coupon.isPaid && !before.has(coupon.id)}
              spends={spends}
              now={now}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function CouponPart(props: {
  readonly coupon: Coupon
  readonly decimals: number
  /** Whether it became paid while the page was open. */
  readonly isFresh: boolean
  readonly spends: JobSpends | undefined
  readonly now: number
}): ReactNode {
  const { coupon, decimals, isFresh, spends, now } = props
  const { name, amount, isPaid, isFree } = coupon
  return (
    <div className={isPaid ? 'coupon' : 'coupon open'}>
      <Hole punched={isPaid} fresh={isFresh} />
      <span className="what">
        <Words of={name} most={64} />
        <small>
          <Money coupon={coupon} now={now} />
          <Moved coupon={coupon} spends={spends} />
        </small>
      </span>
      <span className="end">
        {isFree ? <s>{amount}</s> : amount === '' ? null : <Amount of={amount} decimals={decimals} />}
      </span>
    </div>
  )
}

interface Coupon {
  readonly id: string
  readonly name: string
  readonly isPaid: boolean
  /** Whether it is certain that nothing was charged. */
  readonly isFree: boolean
  /** Decimal USDC; empty when nothing is paid for it in this run. */
  readonly amount: string
  readonly jobs: readonly RunJob[]
  readonly state: RunStepAnswer['state']
}

function couponOf(graph: Graph, { step: id, state, jobs }: RunStepAnswer): Coupon {
  const step = graph.flow.steps[id]
  const pinned = step?.kind === 'job' ? step.pinned.price : ''
  const paid = jobs.filter(({ payment }) => payment?.state === 'paid')
  const isPaid = paid.length > 0 && paid.length === jobs.length
  const counted = paid.length > 0 ? paid : jobs
  const amounts = counted.map(({ payment }) => payment?.amount ?? pinned)
  return {
    id,
    name: nameStop(graph.flow, id),
    isPaid,
    isFree: state === 'failed' || (paid.length === 0 && jobs.some(isKnownFree)),
    amount: state === 'skipped' ? '' : jobs.length === 0 ? pinned : sumOf(amounts),
    jobs,
    state,
  }
}

function isKnownFree({ state, payment, job }: RunJob): boolean {
  return state === 'failed' && (payment?.state !== 'sent' || job?.status === 'failed')
}

function sumOf(amounts: readonly string[]): string {
  return fromAtomic(amounts.reduce((sum, amount) => sum + (toAtomic(amount) ?? 0n), 0n))
}

/** The tokens that the agent moved in addition to its price. */
function Moved({
  coupon,
  spends,
}: {
  readonly coupon: Coupon
  readonly spends: JobSpends | undefined
}): ReactNode {
  const own = coupon.jobs.flatMap(({ payment }) => spends?.get(payment?.job_id.toLowerCase() ?? '') ?? [])
  return own.length === 0 ? null : <>; also spent {withCents(sumSpends(own))}</>
}

/** Whether the payment of a coupon was charged, or can still be. */
function Money({ coupon, now }: { readonly coupon: Coupon; readonly now: number }): ReactNode {
  const { state, jobs, isPaid } = coupon
  const [first] = jobs
  if (state === 'skipped') return 'skipped'
  if (state === 'failed') return 'not sent'
  if (first === undefined) return 'not reached'
  if (jobs.some(isChargedForNothing)) return 'charged, not delivered'
  if (jobs.length > 1) {
    const paid = jobs.filter(({ payment }) => payment?.state === 'paid').length
    return `${paid} of ${jobs.length} jobs paid`
  }
  const { payment, job } = first
  if (payment === null || payment.state === 'wiped') return 'not signed'
  const to = (
    <>
      to <Address of={payment.pay_to} />
    </>
  )
  if (isPaid)
    return (
      <>
        {to}
        {job?.block_number !== null && job?.block_number !== undefined && `, block ${job.block_number}`}
      </>
    )
  if (payment.state === 'dead') return 'not charged, and never will be'
  const until = now < payment.valid_before && (
    <>
      signature valid until <When at={payment.valid_before} form="clock" />
    </>
  )
  if (isKnownFree(first)) return <>not charged{until !== false && <>; {until}</>}</>
  return until === false ? to : <>{until}</>
}
