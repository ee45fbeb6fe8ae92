import type { AgentPage } from '@farebox/platform-api/agent'
import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import type { ReactNode } from 'react'
import { groupDigits } from '../format/amount.ts'
import { formatDuration } from '../format/duration.ts'
import { OutputToCome } from '../job-view/output-view.tsx'
import { CoverLine } from '../limits/cover-line.tsx'
import type { SpendCover } from '../limits/use-cover.ts'
import { Address } from '../parts/short.tsx'
import { Hole, Lines, Sum, Ticket } from '../parts/ticket.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { useSite } from '../site/site.ts'

/** What is known before anything is signed. */
export function BeforeJob(props: {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
  /** Decimal USDC, as it would be signed for. */
  readonly price: string
  /** What it moves beside its price; undefined: nothing. */
  readonly spend: SpendCover | undefined
}): ReactNode {
  const { agent, capability, price, spend } = props
  const { platform } = useSite()
  const { wallet, balance } = usePurse()
  return (
    <>
      <OutputToCome fields={capability.output_schema} />
      <Ticket
        label="Fare to sign"
        top={
          <>
            <div className="kind">
              <b>Fare</b>
              <span className="end">not signed yet</span>
              <Hole />
            </div>
            <Sum amount={price} />
          </>
        }
      >
        <Lines
          of={[
            [
              'Job',
              <>
                <bdi>{agent.name}</bdi>, <span className="mono">{capability.name}</span>
              </>,
            ],
            agent.wallet === null
              ? undefined
              : [
                  'Paid to',
                  <>
                    <Address of={agent.wallet} /> {agent.wallet === agent.owner && 'its verified wallet'}
                  </>,
                ],
            [
              'Paid from',
              wallet === undefined ? (
                platform.local_mode ? (
                  'Test wallet'
                ) : (
                  'a wallet you choose'
                )
              ) : (
                <>
                  <bdi>{wallet.name}</bdi>
                  {balance !== undefined && `, ${groupDigits(balance.usdc)} USDC`}
                </>
              ),
            ],
            spend === undefined ? undefined : ['Can move', <CoverLine key="moves" cover={spend.cover} />],
            agent.max_deadline_seconds === null
              ? undefined
              : [
                  'Time',
                  `Up to ${agent.max_deadline_seconds} s${agent.job_p50_ms === null ? '' : `, usually ${formatDuration(agent.job_p50_ms)}`}`,
                ],
            [
              'Signature',
              agent.max_deadline_seconds === null
                ? 'valid for this job only'
                : `valid for this job only, for ${maxTimeoutSeconds(agent.max_deadline_seconds)} s`,
            ],
          ]}
        />
      </Ticket>
    </>
  )
}
