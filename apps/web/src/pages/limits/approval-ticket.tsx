import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { planExact } from '../../limits/plan-change.ts'
import type { Change } from '../../limits/use-change.ts'
import { Note } from '../../parts/note.tsx'
import { Address } from '../../parts/short.tsx'
import { Lines, Sum, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { ChangeButton, ChangeLine } from './change-line.tsx'

/** More than the total supply of the token. */
const UNLIMITED = 2n ** 128n

/** The approval that all permissions share: its amount, and whether it equals their remaining total. */
export function ApprovalTicket(props: { readonly limits: WalletLimits; readonly change: Change }): ReactNode {
  const { limits, change } = props
  const { token, contract, balance } = limits
  const [allowance, left] = [BigInt(limits.allowance), BigInt(limits.total_left)]
  return (
    <Ticket
      label="Approval for your limits"
      top={
        <>
          <TicketTitle end="all limits combined">
            <b>Agents can spend</b>
          </TicketTitle>
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
      {allowance !== left ? (
        <InexactApproval limits={limits} change={change} />
      ) : (
        left > 0n && <p className="aside">The approval matches the amount left in your limits.</p>
      )}
      <ChangeLine change={change} what="exact" />
    </Ticket>
  )
}

/** The effect of an approval that is higher or lower than the limits, and the button that makes it exact. */
function InexactApproval(props: { readonly limits: WalletLimits; readonly change: Change }): ReactNode {
  const { limits, change } = props
  const left = withCents(limits.total_left)
  return (
    <div className="above">
      <Note tone="warn">
        <p>
          {BigInt(limits.allowance) > BigInt(limits.total_left)
            ? `The approval is higher than the ${left} left in your limits. Nobody can spend the extra amount, so you do not need to approve it.`
            : `The approval is lower than the ${left} left in your limits. Transfers will fail before agents reach their limits.`}
        </p>
        <p className="acts">
          <ChangeButton change={change} what="exact" limits={limits} planned={planExact(limits)}>
            Set the exact amount
          </ChangeButton>
        </p>
      </Note>
    </div>
  )
}
