import type { AgentPage } from '@farebox/platform-api/agent'
import { useState, type ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import type { SpendDeclaration } from '../../limits/spend-declaration.ts'
import type { Change, ChangeState } from '../../limits/use-change.ts'
import { FailureNote, Note } from '../../parts/note.tsx'
import { Address, CopiedHash } from '../../parts/short.tsx'
import { Hole, Lines, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { Words } from '../../parts/words.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { useSite } from '../../site/site.ts'
import { TermsFields } from './terms-fields.tsx'
import type { NewLimit, SpenderState } from './use-new-limit.ts'

interface Props {
  readonly agent: AgentPage
  readonly capability: string
  readonly declared: SpendDeclaration
  readonly limit: NewLimit
  readonly change: Change
  readonly back: string
}

/** The limit as a ticket: the agent that asks, its reason, the terms, and exactly what is signed. */
export function LimitTicket(props: Props): ReactNode {
  const { agent, declared, limit, change } = props
  const { platform } = useSite()
  const { before, planned, spender } = limit
  const isDone = change.state.step === 'done'
  const title = before === undefined ? 'New permission' : 'Changed permission'
  const [isTried, setTried] = useState(false)
  const submit = (): void => {
    setTried(true)
    if (planned !== undefined && limit.limits !== undefined) change.start('set', limit.limits, planned.change)
    else document.getElementById(`limit-${Object.keys(limit.refusals)[0]}`)?.focus()
  }
  return (
    <form
      className="limit-form"
      noValidate
      method="dialog"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <Ticket
        label={title}
        top={
          <>
            <TicketTitle
              end={isDone ? 'confirmed' : 'not signed yet'}
              hole={<Hole punched={isDone} fresh={isDone} />}
            >
              <b>{title}</b>
            </TicketTitle>
            <Request {...props} />
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
            ['You sign', describeSigned(limit)],
            ['Spender', <SpenderName key="spender" spender={spender} payee={agent.wallet} />],
            ['To', before !== undefined && before.recipients.length > 0 ? 'the same recipients' : 'anyone'],
            [
              'Contract',
              <>
                <Address of={platform.spend_permissions_address ?? ''} />, not audited
              </>,
            ],
          ]}
        />
        <LimitAction {...props} />
      </Ticket>
    </form>
  )
}

/** The agent that asks to spend, and the reason in its own words. */
function Request({ agent, capability, declared }: Props): ReactNode {
  return (
    <>
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
    </>
  )
}

function describeSigned({ planned }: NewLimit): string {
  if (planned === undefined) return 'the limits and an approval for exactly the amount left in them'
  const { way, approval, approvalNow } = planned.change
  if (way === 'none')
    return `the limits only, because the approval is already exactly ${withCents(approval)} USDC`
  const from = approvalNow === 0n || approvalNow >= 2n ** 128n ? '' : ` (currently ${withCents(approvalNow)})`
  return `the limits and an approval for exactly ${withCents(approval)} USDC${from}`
}

function SpenderName(props: {
  readonly spender: SpenderState
  /** The wallet at which the agent is paid. */
  readonly payee: string | null
}): ReactNode {
  const { spender, payee } = props
  if (spender.kind !== 'known') return spender.kind === 'asking' ? 'checking with the agent' : 'not known'
  return (
    <>
      <Address of={spender.spender} />
      {spender.spender === payee ? '' : ', not the wallet that receives payments'}
    </>
  )
}

/** The end of the ticket: the button that sends the limit, the reason why there is none, or a link to continue. */
function LimitAction({ agent, limit, change, back }: Props): ReactNode {
  const { spender, failure, limits } = limit
  return (
    <div className="pay">
      {spender.kind === 'unnamed' ? (
        <UnnamedSpender agentName={agent.name} />
      ) : spender.kind === 'failed' ? (
        <FailureNote error={spender.error} again={limit.askSpender} />
      ) : failure !== undefined && limits === undefined ? (
        <FailureNote error={failure} again={() => void limit.refresh()} />
      ) : change.state.step === 'done' ? (
        <ActiveLimit back={back} />
      ) : (
        <LimitSigning limit={limit} state={change.state} />
      )}
    </div>
  )
}

function UnnamedSpender({ agentName }: { readonly agentName: string }): ReactNode {
  return (
    <Note tone="warn" alert>
      <p>
        <b>The agent has not specified a spending account.</b> Each permission applies to one account, so you
        cannot set a limit here yet. The operator of <Words of={agentName} most={64} /> must set
        SPENDER_PRIVATE_KEY first.
      </p>
    </Note>
  )
}

function ActiveLimit({ back }: { readonly back: string }): ReactNode {
  return (
    <>
      <p className="stamp paid" role="alert">
        The limit is active.
      </p>
      <a className="button solid wide" href={back}>
        Continue
      </a>
    </>
  )
}

/** The reason why the limit was not sent, and the button that sends it or shows its current step. */
function LimitSigning(props: { readonly limit: NewLimit; readonly state: ChangeState }): ReactNode {
  const { limit, state } = props
  return (
    <>
      {state.step === 'stopped' && (
        <Note tone="warn" alert>
          <p>
            <bdi>{state.sentence}</bdi>
          </p>
          {limit.planned?.change.way === 'none' && (
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
      ) : (
        <AllowButton limit={limit} />
      )}
      <p className="aside">No USDC is transferred now. You can change or revoke the limit at any time.</p>
    </>
  )
}

function AllowButton({ limit: { limits, spender, planned } }: { readonly limit: NewLimit }): ReactNode {
  const { wallet, isReady, choose } = usePurse()
  if (wallet === undefined && isReady) {
    return (
      <button type="button" className="button solid wide tall" onClick={choose}>
        Connect a wallet
      </button>
    )
  }
  return (
    <button
      type="submit"
      className="button fare wide"
      disabled={limits === undefined || spender.kind !== 'known'}
    >
      {planned === undefined ? 'Allow' : `Allow up to ${withCents(planned.terms.cap)} USDC`}
    </button>
  )
}
