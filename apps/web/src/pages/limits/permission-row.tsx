import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { limitUrl } from '../../limits/find-cover.ts'
import { planRevoke } from '../../limits/plan-change.ts'
import type { Change } from '../../limits/use-change.ts'
import { Address } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { Sign } from '../../signs/sign.tsx'
import { ChangeButton, ChangeLine } from './change-line.tsx'

interface Props {
  readonly permission: SpendPermissionView
  /** The reason in the agent's declaration; undefined when it is not known. */
  readonly reason: string | undefined
  readonly limits: WalletLimits
  readonly change: Change
}

/**
 * One permission: the amount spent of its cap, the amount per transfer, its end, its recipients; with actions to change and
 * revoke it.
 */
export function PermissionRow({ permission, reason, limits, change }: Props): ReactNode {
  const { agent_id: id, agent_name: name, capability, spent, cap, left, limit, token } = permission
  const isOther = token !== limits.token.address
  return (
    <li className="permission">
      <div>
        <div className="row name">
          <h3>
            <a className="plain" href={`/agents/${id}?capability=${encodeURIComponent(capability)}`}>
              <Words of={name ?? `Agent ${id}`} most={64} />
            </a>
          </h3>
          <span className="mono small quiet">
            <Words of={capability} most={64} />
          </span>
          <UsedUpTag permission={permission} />
        </div>
        {name === null && <p className="quiet small">No agent with this number is listed here.</p>}
        {reason !== undefined && reason !== '' && (
          <p className="quiet small">
            “<Words of={reason} most={280} />”
          </p>
        )}
        <Meter spent={BigInt(spent)} cap={BigInt(cap)} />
        <p className="small row spread">
          <span>
            <b className="num">{withCents(spent)}</b> spent of{' '}
            <b className="num">
              {withCents(cap)} {isOther ? 'of another token' : limits.token.symbol}
            </b>
          </span>
          <span className="quiet num">{withCents(left)} left</span>
        </p>
      </div>
      <div>
        <dl className="facts-list small">
          <dt>Each time</dt>
          <dd>
            up to{' '}
            <b className="num">
              {withCents(limit)} {!isOther && limits.token.symbol}
            </b>
          </dd>
          <dt>Ends</dt>
          <dd>
            <When at={permission.expires_at} form="date" />
          </dd>
          <dt>To</dt>
          <dd>{permission.recipients.length === 0 ? 'anyone' : <Recipients of={permission.recipients} />}</dd>
          <dt>Spender</dt>
          <dd>
            <Address of={permission.spender} />
          </dd>
        </dl>
        <PermissionActions permission={permission} limits={limits} change={change} />
      </div>
    </li>
  )
}

function PermissionActions({ permission, limits, change }: Omit<Props, 'reason'>): ReactNode {
  const { wallet } = usePurse()
  const { agent_id: id, agent_name: name, capability, id: key, token } = permission
  const what = `revoke ${key}`
  const planned = planRevoke(limits, permission)
  const isTwo = planned.way === 'approve first' || planned.way === 'approve last'
  const whose = `${name ?? `agent ${id}`}, ${capability}`
  return (
    <>
      <div className="row">
        {name !== null && token === limits.token.address && (
          <a className="button low" href={limitUrl(Number(id), capability, '/limits')}>
            Change<span className="unseen"> {whose}</span>
          </a>
        )}
        <ChangeButton change={change} what={what} limits={limits} planned={planned} look="danger">
          Revoke now<span className="unseen"> {whose}</span>
        </ChangeButton>
      </div>
      {isTwo && wallet?.kind === 'browser' && (
        <p className="hint">You will confirm two transactions: the revocation, then the lower approval.</p>
      )}
      <ChangeLine change={change} what={what} />
    </>
  )
}

function Recipients({ of }: { readonly of: readonly string[] }): ReactNode {
  return (
    <ul>
      {of.map(one => (
        <li key={one}>
          <Address of={one} />
        </li>
      ))}
    </ul>
  )
}

/** In percent. */
const NEARLY = 80n

function UsedUpTag({ permission }: { readonly permission: SpendPermissionView }): ReactNode {
  const { state, spent, cap } = permission
  if (state === 'used-up')
    return (
      <span className="tag refused">
        <Sign name="cross" /> used up
      </span>
    )
  if (BigInt(spent) * 100n < BigInt(cap) * NEARLY) return null
  return (
    <span className="tag warn">
      <Sign name="warn" /> nearly used up
    </span>
  )
}

const WIDE = 1_000n

/** A bar that shows the spent part of a cap. It is an SVG, because the content security policy allows no inline styles. */
function Meter({ spent, cap }: { readonly spent: bigint; readonly cap: bigint }): ReactNode {
  const filled = cap === 0n ? WIDE : (spent * WIDE) / cap
  return (
    <svg
      className="meter"
      viewBox={`0 0 ${WIDE} 14`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${withCents(spent)} of ${withCents(cap)} USDC spent`}
    >
      <rect width={String(filled)} height="14" />
    </svg>
  )
}
