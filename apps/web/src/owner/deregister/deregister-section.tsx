import type { Me } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { formatEther } from '../../format/amount.ts'
import { Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Address, Hash } from '../../parts/short.tsx'
import { Lines, Sum, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { useSite } from '../../site/site.ts'
import { useDeregister, type DeregisterState } from './use-deregister.ts'

/** Deregisters an agent and returns its stake: the consequences, the ticket, and the outcome. */
export function DeregisterSection(props: {
  readonly agentId: number
  readonly owner: string
  /** The origin of the session. A browser that a terminal signed in has no owner's key to sign with. */
  readonly origin: Me['session']['origin']
  /** The stake of a registration on this platform; null when it is not known. */
  readonly stakeWei: string | null
}): ReactNode {
  const { agentId, owner, origin, stakeWei } = props
  const { platform } = useSite()
  const [isOpen, setOpen] = useState(false)
  const { state, send, follow, forget } = useDeregister(agentId, owner, () => setOpen(false))
  const ether = formatEther(stakeWei ?? platform.stake_wei)
  return (
    <section id="stake">
      <Heading end={state.kind !== 'done' && `${ether} ETH staked`}>Get your stake back</Heading>
      {state.kind === 'done' || state.kind === 'sent' ? (
        <SentNote agentId={agentId} ether={ether} state={state} follow={follow} forget={forget} />
      ) : (
        <DeregisterOffer
          agentId={agentId}
          origin={origin}
          problem={!isOpen && state.kind === 'idle' ? state.problem : undefined}
          open={() => setOpen(true)}
        />
      )}
      {isOpen && (state.kind === 'idle' || state.kind === 'asking') && (
        <DeregisterSheet
          agentId={agentId}
          owner={owner}
          ether={ether}
          state={state}
          send={send}
          close={() => setOpen(false)}
        />
      )}
    </section>
  )
}

/** The outcome of the transaction. All outcomes share one note, so that screen readers announce changes. */
function SentNote(props: {
  readonly agentId: number
  readonly ether: string
  readonly state: Extract<DeregisterState, { readonly kind: 'sent' | 'done' }>
  readonly follow: () => void
  readonly forget: () => void
}): ReactNode {
  const { agentId, ether, state, follow, forget } = props
  const { platform } = useSite()
  if (state.kind === 'done') {
    return (
      <Note tone="paid" alert>
        <p>
          <b>Confirmed. {ether} ETH was returned to your wallet.</b> Agent {agentId} is deregistered and no
          longer listed.
        </p>
      </Note>
    )
  }
  return (
    <Note tone="info" alert>
      <p>
        <b>Sent, but not confirmed yet.</b> Transaction <Hash of={state.transaction} />.
        {state.isLate && ' It has not appeared after five minutes. Check its status in your wallet.'}
      </p>
      <p className="acts">
        {state.isLate && (
          <button type="button" className="link" onClick={follow}>
            Check again
          </button>
        )}
        {state.isLate && (
          <button type="button" className="link" onClick={forget}>
            It was dropped or rejected
          </button>
        )}
        {platform.explorer_url !== undefined && (
          <a href={`${platform.explorer_url}/tx/${state.transaction}`} rel="noreferrer">
            View in the explorer
          </a>
        )}
      </p>
    </Note>
  )
}

function DeregisterOffer(props: {
  readonly agentId: number
  readonly origin: Me['session']['origin']
  readonly problem: string | undefined
  readonly open: () => void
}): ReactNode {
  const { agentId, origin, problem, open } = props
  return (
    <>
      <p className="quiet measure">
        Deregistering removes the agent from this platform. Nobody will be able to find or call it here, and
        its number will never be reused. The registry will send the stake to the wallet that owns the agent.
        Payments for jobs it has already delivered will still be settled.
      </p>
      {problem !== undefined && (
        <Note tone="warn" alert>
          <p>{problem}</p>
        </Note>
      )}
      {origin === 'terminal' ? (
        <p className="above">
          Your wallet must sign this, but you signed in from a terminal. In the terminal, run{' '}
          <code>farebox deregister {agentId}</code>
        </p>
      ) : (
        <p className="above">
          <button type="button" className="button danger" onClick={open}>
            Deregister agent {agentId}
          </button>
        </p>
      )}
    </>
  )
}

/** The transaction to send, and why it was not sent. */
function DeregisterSheet(props: {
  readonly agentId: number
  readonly owner: string
  readonly ether: string
  readonly state: Extract<DeregisterState, { readonly kind: 'idle' | 'asking' }>
  readonly send: () => void
  readonly close: () => void
}): ReactNode {
  const { agentId, owner, ether, state, send, close } = props
  const isAsking = state.kind === 'asking'
  return (
    <Sheet labelledBy="deregister" close={close}>
      <h2 id="deregister">Deregister agent {agentId}</h2>
      <div className="above">
        <DeregisterTicket agentId={agentId} owner={owner} ether={ether}>
          <button type="button" className="button fare wide" disabled={isAsking} onClick={send}>
            {isAsking ? 'Waiting for your wallet…' : `Deregister and get ${ether} ETH back`}
          </button>
        </DeregisterTicket>
      </div>
      {state.kind === 'idle' && state.problem !== undefined && (
        <Note tone="warn" alert>
          <p>{state.problem}</p>
        </Note>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Not now
        </button>
      </div>
    </Sheet>
  )
}

function DeregisterTicket(props: {
  readonly agentId: number
  readonly owner: string
  readonly ether: string
  /** The button that sends it. */
  readonly children: ReactNode
}): ReactNode {
  const { agentId, owner, ether, children } = props
  const { platform } = useSite()
  return (
    <Ticket
      label="Transaction for your wallet"
      top={
        <>
          <TicketTitle end={`for deregistering agent ${agentId}`}>
            <b>You get back</b>
          </TicketTitle>
          <Sum amount={ether} unit="ETH" />
        </>
      }
    >
      <Lines
        of={[
          ['To', <Address key="to" of={owner} />],
          ['From', <Address key="from" of={platform.registry_address} />],
          [
            'Call',
            <span key="call" className="mono">
              deregister({agentId})
            </span>,
          ],
          ['You pay', 'the gas fee shown in your wallet'],
        ]}
      />
      {children}
    </Ticket>
  )
}
