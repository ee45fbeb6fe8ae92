import type { AgentPage } from '@farebox/platform-api/agent'
import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import type { ReactNode } from 'react'
import { groupDigits } from '../format/amount.ts'
import { formatDuration } from '../format/duration.ts'
import { FareTicket } from '../job-view/fare-ticket.tsx'
import { OutputToCome } from '../job-view/output-view.tsx'
import { CoverLine } from '../limits/cover-line.tsx'
import type { SpendCover } from '../limits/use-cover.ts'
import { Address } from '../parts/short.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { useSite } from '../site/site.ts'

/** A placeholder for the output, and the ticket of the payment, before anything is signed. */
export function BeforeJob(props: {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
  /** The amount that would be signed, in decimal USDC. */
  readonly price: string
  /** The tokens that the capability moves in addition to its price; undefined when it moves none. */
  readonly spend: SpendCover | undefined
}): ReactNode {
  const { agent, capability, price, spend } = props
  const { wallet, max_deadline_seconds: seconds, job_p50_ms: usualMs } = agent
  return (
    <>
      <OutputToCome fields={capability.output_schema} />
      <FareTicket
        label="Fare to sign"
        amount={price}
        lines={[
          [
            'Job',
            <>
              <bdi>{agent.name}</bdi>, <span className="mono">{capability.name}</span>
            </>,
          ],
          wallet === null
            ? undefined
            : [
                'Paid to',
                <>
                  <Address of={wallet} /> {wallet === agent.owner && 'its verified wallet'}
                </>,
              ],
          ['Paid from', <PaidFrom key="from" />],
          spend === undefined ? undefined : ['Can move', <CoverLine key="moves" cover={spend.cover} />],
          seconds === null
            ? undefined
            : ['Time', `Up to ${seconds} s${usualMs === null ? '' : `, usually ${formatDuration(usualMs)}`}`],
          [
            'Signature',
            `valid for this job only${seconds === null ? '' : `, for ${maxTimeoutSeconds(seconds)} s`}`,
          ],
        ]}
      />
    </>
  )
}

/** The wallet that pays, and its balance. */
function PaidFrom(): ReactNode {
  const { platform } = useSite()
  const { wallet, balance } = usePurse()
  if (wallet === undefined) return platform.local_mode ? 'Test wallet' : 'a wallet you choose'
  return (
    <>
      <bdi>{wallet.name}</bdi>
      {balance !== undefined && `, ${groupDigits(balance.usdc)} USDC`}
    </>
  )
}
