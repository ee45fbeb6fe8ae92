import type { AgentPage } from '@farebox/platform-api/agent'
import { useState, type ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import type { DeclaredSpend } from '../../limits/declared-spend.ts'
import type { Change } from '../../limits/use-change.ts'
import { FailureNote, Note } from '../../parts/note.tsx'
import { Address, CopiedHash } from '../../parts/short.tsx'
import { Hole, Lines, Ticket } from '../../parts/ticket.tsx'
import { Words } from '../../parts/words.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { useSite } from '../../site/site.ts'
import { TermsFields } from './terms-fields.tsx'
import type { NewLimit } from './use-new-limit.ts'

interface Props {
  readonly agent: AgentPage
  readonly capability: string
  readonly declared: DeclaredSpend
  readonly limit: NewLimit
  readonly change: Change
  readonly back: string
}

/** The limit as a ticket: who asks and why, the terms, and exactly what is signed for them. */
export function LimitTicket(props: Props): ReactNode {
  const { agent, capability, declared, limit, change } = props
  const { platform } = useSite()
  const { before, planned, spender } = limit
  const isDone = change.state.step === 'done'
  const [isTried, setTried] = useState(false)
  return (
    <form
      className="limit-form"
      noValidate
      method="dialog"
      onSubmit={event => {
        event.preventDefault()
        setTried(true)
        if (planned !== undefined && limit.limits !== undefined)
          change.start('set', limit.limits, planned.change)
        else document.getElementById(`limit-${Object.keys(limit.refusals)[0]}`)?.focus()
      }}
    >
      <Ticket
        label={before === undefined ? 'New permission' : 'Changed permission'}
        top={
          <>
            <div className="kind">
              <b>{before === undefined ? 'New permission' : 'Changed permission'}</b>
              <span className="end">{isDone ? 'confirmed' : 'not signed yet'}</span>
              <Hole punched={isDone} fresh={isDone} />
            </div>
            <p className="asks">
              <b>
                <Words of={agent.name} most={64} />
              </b>
              ,{' '}
              <span className="mono">
                <Words of={capability} most={64} />
              </span>
              , requests permission to spend your USDC:
            </p>
            <p className="on-stock">
              “<Words of={declared.reason} most={280} />”{' '}
              {declared.mostAtomic !== undefined &&
                `It declares a maximum of ${withCents(declared.mostAtomic)} USDC each time.`}
            </p>
            <TermsFields
              declared={declared}
              limit={limit}
              isHeld={change.state.step === 'sending' || isDone}
              isTried={isTried}
            />
          </>
        }
      >
        <Lines
          of={[
            ['You sign', <Signed key="signed" limit={limit} />],
            [
              'Spender',
              spender.kind === 'known' ? (
                <>
                  <Address of={spender.spender} />
                  {spender.spender === agent.wallet ? '' : ', not the wallet that receives payments'}
                </>
              ) : spender.kind === 'asking' ? (
                'checking with the agent'
              ) : (
                'not known'
              ),
            ],
            ['To', before !== undefined && before.recipients.length > 0 ? 'the same recipients' : 'anyone'],
            [
              'Contract',
              <>
                <Address of={platform.spend_permissions_address ?? ''} />, not audited
              </>,
            ],
          ]}
        />
        <Pay {...props} />
      </Ticket>
    </form>
  )
}

function Signed({ limit: { planned } }: { readonly limit: NewLimit }): ReactNode {
  if (planned === undefined) return 'the limits and an approval for exactly the amount left in them'
  const { way, approval, approvalNow } = planned.change
  if (way === 'none')
    return `the limits only, because the approval is already exactly ${withCents(approval)} USDC`
  const from = approvalNow === 0n || approvalNow >= 2n ** 128n ? '' : ` (currently ${withCents(approvalNow)})`
  return `the limits and an approval for exactly ${withCents(approval)} USDC${from}`
}

function Pay({ agent, limit, change, back }: Props): ReactNode {
  const { wallet, isReady, choose } = usePurse()
  const { spender, planned, failure, limits } = limit
  const { state } = change
  if (spender.kind === 'unnamed') {
    return (
      <div className="pay">
        <Note tone="warn" alert>
          <p>
            <b>The agent has not specified a spending account.</b> Each permission applies to one account, so
            you cannot set a limit here yet. The operator of <Words of={agent.name} most={64} /> must set
            SPENDER_PRIVATE_KEY first.
          </p>
        </Note>
      </div>
    )
  }
  if (spender.kind === 'failed') {
    return (
      <div className="pay">
        <FailureNote error={spender.error} again={limit.askSpender} />
      </div>
    )
  }
  if (failure !== undefined && limits === undefined) {
    return (
      <div className="pay">
        <FailureNote error={failure} again={() => void limit.refresh()} />
      </div>
    )
  }
  if (state.step === 'done') {
    return (
      <div className="pay">
        <p className="stamp paid" role="alert">
          The limit is active.
        </p>
        <a className="button solid wide" href={back}>
          Continue
        </a>
      </div>
    )
  }
  const most = planned === undefined ? undefined : withCents(planned.terms.cap)
  return (
    <div className="pay">
      {state.step === 'stopped' && (
        <Note tone="warn" alert>
          <p>
            <bdi>{state.sentence}</bdi>
          </p>
          {planned?.change.way === 'none' && (
            <p>The approval is already in place, but the limits are not set yet.</p>
          )}
        </Note>
      )}
      {state.step === 'sending' ? (
        <>
          <button type="button" className="button fare wide" disabled>
            <bdi>{state.words}</bdi>…
          </button>
          {state.transaction !== undefined && (
            <p className="aside" role="status">
              Sent, but not confirmed yet: <CopiedHash of={state.transaction} />
            </p>
          )}
        </>
      ) : wallet === undefined && isReady ? (
        <button type="button" className="button solid wide tall" onClick={choose}>
          Connect a wallet
        </button>
      ) : (
        <button
          type="submit"
          className="button fare wide"
          disabled={limits === undefined || spender.kind !== 'known'}
        >
          {most === undefined ? 'Allow' : `Allow up to ${most} USDC`}
        </button>
      )}
      <p className="aside">No USDC is transferred now. You can change or revoke the limit at any time.</p>
    </div>
  )
}
