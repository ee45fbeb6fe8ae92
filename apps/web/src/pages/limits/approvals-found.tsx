import type { TokenApproval, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { useEffect, useState, type ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { planExact, planZero } from '../../limits/plan-change.ts'
import type { Change } from '../../limits/use-change.ts'
import { Address } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { answers } from '../../site/answers.ts'
import { useAsk } from '../../site/question.ts'
import { Sign } from '../../signs/sign.tsx'
import { ChangeButton, ChangeLine } from './change-line.tsx'

interface Props {
  readonly limits: WalletLimits
  readonly change: Change
}

/** Unlimited approvals of the token, each with a button that revokes it; other approvals are collapsed. */
export function ApprovalsFound({ limits, change }: Props): ReactNode {
  const { approvals, refresh, ended, failure, from } = useApprovals(limits, change)
  const isExact = limits.allowance === limits.total_left
  const all = approvals.filter(
    ({ spender, unlimited }) => spender !== limits.contract || (unlimited && !isExact),
  )
  const others = all.filter(({ unlimited }) => !unlimited)
  if (all.length === 0 && ended === undefined && failure === undefined && from === 0) return null
  return (
    <div className="approvals-found">
      {failure !== undefined && (
        <p className="small quiet">
          The search for other approvals from this wallet failed.{' '}
          <button type="button" className="link" onClick={refresh}>
            Try again
          </button>
        </p>
      )}
      {from > 0 && (
        <p className="small quiet">
          The search for other approvals from this wallet starts at block {from}. Older approvals are not
          listed.
        </p>
      )}
      {all
        .filter(({ unlimited }) => unlimited)
        .map(approval => (
          <UnlimitedApproval key={approval.spender} approval={approval} limits={limits} change={change} />
        ))}
      {ended !== undefined && (
        <p className="small quiet" role="status">
          The approval for <Address of={ended} /> is now zero.{' '}
          <button type="button" className="link" onClick={refresh}>
            Search again
          </button>
        </p>
      )}
      {others.length > 0 && <OtherApprovals approvals={others} limits={limits} change={change} />}
    </div>
  )
}

function OtherApprovals({
  approvals,
  limits,
  change,
}: Props & { readonly approvals: readonly TokenApproval[] }): ReactNode {
  return (
    <details className="small">
      <summary>
        {approvals.length === 1 ? '1 other USDC approval' : `${approvals.length} other USDC approvals`}
      </summary>
      <ul>
        {approvals.map(({ spender, amount }) => {
          const what = `zero ${spender}`
          return (
            <li key={spender} className="row">
              <span>
                <Address of={spender} /> can spend up to {withCents(amount)}
              </span>
              <ChangeButton change={change} what={what} limits={limits} planned={planZero(limits, spender)}>
                Set it to zero<span className="unseen"> for {spender}</span>
              </ChangeButton>
              <ChangeLine change={change} what={what} />
            </li>
          )
        })}
      </ul>
    </details>
  )
}

function UnlimitedApproval({
  approval,
  limits,
  change,
}: Props & { readonly approval: TokenApproval }): ReactNode {
  const { spender, is_permissions_contract: isOurs, approved_at: at } = approval
  const what = isOurs ? 'exact' : `zero ${spender}`
  const planned = isOurs ? planExact(limits) : planZero(limits, spender)
  return (
    <div className="note refused" role="alert">
      <Sign name="warn" />
      <div>
        <p>
          <b>
            Found an unlimited {limits.token.symbol} approval for <Address of={spender} />.
          </b>{' '}
          {isOurs
            ? 'This is the contract that enforces your limits. It only needs approval for the amount left in them. Your limits still apply.'
            : 'This approval is not part of your limits. Anyone who controls that address can take your entire balance of this token.'}
          {at !== null && (
            <>
              {' '}
              Approved <When at={at} />.
            </>
          )}
        </p>
        <p className="acts">
          <ChangeButton change={change} what={what} limits={limits} planned={planned}>
            {isOurs ? `Set it to exactly ${withCents(limits.total_left)}` : 'Set it to zero'}
          </ChangeButton>
        </p>
        <ChangeLine change={change} what={what} />
      </div>
    </div>
  )
}

/** The approvals that were found. One that was revoked here is hidden, although the platform may still list it briefly. */
function useApprovals({ address }: WalletLimits, change: Change) {
  const { answer: found, failure, again } = useAsk(`/v1/limits/${address}/approvals`, answers.tokenApprovals)
  const [gone, setGone] = useState<readonly string[]>([])
  const { state } = change
  const done = state.step === 'done' ? state.what : undefined
  useEffect(() => {
    if (done?.startsWith('zero ') !== true && done !== 'exact') return
    if (done !== 'exact') setGone(known => [...known, done.slice(5)])
    void again()
  }, [done, again])
  return {
    approvals: (found?.approvals ?? []).filter(({ spender }) => !gone.includes(spender)),
    failure,
    from: found?.from_block ?? 0,
    ended: done?.startsWith('zero ') === true ? done.slice(5) : undefined,
    refresh() {
      setGone([])
      void again()
    },
  }
}
