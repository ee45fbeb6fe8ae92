import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { planExact } from '../../limits/plan-change.ts'
import type { Change } from '../../limits/use-change.ts'
import { Note } from '../../parts/note.tsx'
import { Address } from '../../parts/short.tsx'
import { Lines, Sum, Ticket } from '../../parts/ticket.tsx'
import { ChangeLine, isSending } from './change-line.tsx'

/** More than there is of the token. */
const UNLIMITED = 2n ** 128n

/** The approval that all permissions share: how much it is, and whether it is what they have left. */
export function ApprovalTicket({
  limits,
  change,
}: {
  readonly limits: WalletLimits
  readonly change: Change
}): ReactNode {
  const { token, contract, balance } = limits
  const [allowance, left] = [BigInt(limits.allowance), BigInt(limits.total_left)]
  return (
    <Ticket
      label="Approval for your limits"
      top={
        <>
          <div className="kind">
            <b>Agents can spend</b>
            <span className="end">all limits combined</span>
          </div>
          <Sum amount={withCents(left)} unit={token.symbol} />
        </>
      }
    >
      <Lines
        of={[
          ['Approved', allowance >= UNLIMITED ? 'unlimited' : `${withCents(allowance)} ${token.symbol}`],
          ['Wallet balance', `${withCents(balance)} ${token.symbol}`],
          [
            'Token',
            <>
              {token.symbol}, <Address of={token.address} />
            </>,
          ],
          [
            'Contract',
            <>
              <Address of={contract} />, not audited
            </>,
          ],
        ]}
      />
      {allowance === left ? (
        left > 0n && <p className="aside">The approval matches the amount left in your limits.</p>
      ) : (
        <div className="above">
          <Note tone="warn">
            <p>
              {allowance > left
                ? `The approval is higher than the ${withCents(left)} left in your limits. Nobody can spend the extra amount, so you do not need to approve it.`
                : `The approval is lower than the ${withCents(left)} left in your limits. Transfers will fail before agents reach their limits.`}
            </p>
            <p className="acts">
              <button
                type="button"
                className="button low"
                disabled={isSending(change)}
                onClick={() => change.start('exact', limits, planExact(limits))}
              >
                Set the exact amount
              </button>
            </p>
          </Note>
        </div>
      )}
      <ChangeLine change={change} what="exact" />
    </Ticket>
  )
}
