import { useEffect, useRef, type ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { Sign } from '../../signs/sign.tsx'
import type { Stake } from '../../stake/use-stake.ts'
import { OtherAccount, Problem } from './stake-problems.tsx'

/** What is going on with a stake, the money first, then the way on. */
export function StakeProgress({ stake }: { readonly stake: Stake }): ReactNode {
  const { view, isAway } = stake
  const area = useRef<HTMLDivElement>(null)
  const last = useRef(view.at)
  const problem = view.at === 'offer' || view.at === 'doubt' ? view.problem : undefined
  useEffect(() => {
    const isChanged = last.current !== view.at
    last.current = view.at
    if (!isChanged && problem === undefined) return
    // The button that had the focus is gone: whoever pressed it is told what came of it.
    if (isChanged && document.activeElement === document.body) area.current?.focus({ preventScroll: true })
    area.current?.scrollIntoView({ block: 'nearest' })
  }, [view.at, problem])
  return (
    <div ref={area} className="progress" tabIndex={-1} aria-live="polite">
      <Told stake={stake} />
      {isAway && (
        <Note tone="warn">
          <p>
            The platform is not responding. This page will keep trying. If a stake was sent, it is not lost.
          </p>
        </Note>
      )}
    </div>
  )
}

function Told({ stake }: { readonly stake: Stake }): ReactNode {
  const { view, beginAgain } = stake
  switch (view.at) {
    // It has its own place: there is no stake of this visitor.
    case 'already':
      return null
    case 'offer':
      if (view.problem === undefined) return null
      return view.problem.way === 'other-account' ? (
        <OtherAccount stake={stake} problem={view.problem} />
      ) : (
        <Problem stake={stake} problem={view.problem} />
      )
    case 'asking':
      return (
        <p className="stop here">
          <b>{view.words}…</b>
          This is one transaction with the stake and the agent’s endpoint.
        </p>
      )
    case 'elsewhere':
      return (
        <Note tone="info">
          <p>
            <b>Another tab is already staking.</b> Confirm or decline the transaction there, and this page
            will update.
          </p>
        </Note>
      )
    case 'doubt':
      return (
        <Note tone="warn" alert>
          <p>
            <b>The stake may have been sent.</b> The request was sent to <bdi>{view.kept.walletName}</bdi>,
            but there was no response. {view.problem !== undefined && <bdi>{view.problem.title}</bdi>}
          </p>
          <p>Check your wallet’s activity. If the stake was sent, this page will continue automatically.</p>
          <p className="acts">
            <button type="button" className="link" onClick={beginAgain}>
              It was not sent. Start again
            </button>
          </p>
        </Note>
      )
    case 'sent':
      return (
        <>
          <p className="stop here">
            <b>Sent</b>
            Not confirmed yet. You can close this page. It will continue when you come back.
          </p>
          <Doubtful stake={stake} />
        </>
      )
    case 'block':
      return <InBlock view={view} />
    case 'listed':
      return (
        <>
          <p className="stamp paid" role="alert">
            <Sign name="check" /> Listed as agent {view.agent_id}
          </p>
          <p>
            {view.provisional
              ? 'It is listed as unpaid and provisional because it does not provide /about.'
              : 'People and programs can now find it.'}
          </p>
          <a className="button solid wide" href={`/agents/${view.agent_id}`}>
            View the agent
          </a>
        </>
      )
    case 'refused':
      return (
        <Note tone={view.retried ? 'warn' : 'refused'} alert>
          <p>
            <b>Agent {view.agent_id} is not listed.</b> <bdi>{view.reason}</bdi>
          </p>
          <p>
            {view.retried
              ? 'The platform will check it again soon.'
              : 'The stake is still yours. To get it back, run farebox deregister.'}
          </p>
        </Note>
      )
  }
}

function InBlock({ view }: { readonly view: Extract<Stake['view'], { readonly at: 'block' }> }): ReactNode {
  const { agent_id: id, confirmations: have, confirmations_wanted: wanted } = view
  return (
    <div className="stop here">
      <b>On-chain as agent {id}</b>
      {have < wanted ? (
        <>
          {have} of {wanted} confirmations so far. You can close this page.
          <progress aria-label="Confirmations" value={have} max={wanted} />
        </>
      ) : (
        'The platform is checking the agent. You can close this page.'
      )}
    </div>
  )
}

/** A transaction that is in no block by then may have been cancelled. */
const DOUBT_AFTER_SECONDS = 180

/** Nobody is asked to begin again while their stake may still arrive. */
function Doubtful({ stake: { view, beginAgain } }: { readonly stake: Stake }): ReactNode {
  if (view.at !== 'sent') return null
  const isLate = Date.now() / 1_000 - view.kept.askedAt > DOUBT_AFTER_SECONDS
  if (!view.isReplaced && !isLate) return null
  return (
    <Note tone="warn" alert>
      <p>
        {view.isReplaced
          ? 'Your wallet replaced this transaction with another one. If the new one sends the stake, it will appear here within a minute.'
          : 'This is taking longer than expected. Check your wallet’s activity.'}
      </p>
      <p className="acts">
        <button type="button" className="link" onClick={beginAgain}>
          I canceled it. Start again
        </button>
      </p>
    </Note>
  )
}
