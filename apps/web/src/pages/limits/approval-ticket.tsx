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
      label="The approval behind your limits"
      top={
        <>
          <div className="kind">
            <b>Agents may move</b>
            <span className="end">all limits together</span>
          </div>
          <Sum amount={withCents(left)} unit={token.symbol} />
        </>
      }
    >
      <Lines
        of={[
          ['Approved', allowance >= UNLIMITED ? 'without limit' : `${withCents(allowance)} ${token.symbol}`],
          ['Wallet has', `${withCents(balance)} ${token.symbol}`],
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
        left > 0n && <p className="aside">The approval is exactly what is left of your limits.</p>
      ) : (
        <div className="above">
          <Note tone="warn">
            <p>
              {allowance > left
                ? `The approval is more than the ${withCents(left)} that your limits have left. Nobody can move the rest, and it is of no use.`
                : `The approval is less than the ${withCents(left)} that your limits have left: agents are refused before their limit.`}
            </p>
            <p className="acts">
              <button
                type="button"
                className="button low"
                disabled={isSending(change)}
                onClick={() => change.start('exact', limits, planExact(limits))}
              >
                Make it exact
              </button>
            </p>
          </Note>
        </div>
      )}
      <ChangeLine change={change} what="exact" />
    </Ticket>
  )
}
