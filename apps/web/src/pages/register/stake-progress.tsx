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
          <p>The platform does not answer. It is asked again. A stake that was sent is not lost.</p>
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
          One transaction: the stake, and the endpoint of the agent.
        </p>
      )
    case 'elsewhere':
      return (
        <Note tone="info">
          <p>
            <b>Another tab is staking.</b> Confirm or decline the transaction there: this page goes on with
            it.
          </p>
        </Note>
      )
    case 'doubt':
      return (
        <Note tone="warn" alert>
          <p>
            <b>The stake may have been sent.</b> <bdi>{view.kept.walletName}</bdi> was asked for it, and its
            answer did not arrive here. {view.problem !== undefined && <bdi>{view.problem.title}</bdi>}
          </p>
          <p>Look into its activity. If it was sent, this page goes on by itself.</p>
          <p className="acts">
            <button type="button" className="link" onClick={beginAgain}>
              It was not sent: begin again
            </button>
          </p>
        </Note>
      )
    case 'sent':
      return (
        <>
          <p className="stop here">
            <b>Sent</b>
            In no block yet. You can close this page: it goes on when you come back.
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
              ? 'As unpaid and provisional: it serves no /about.'
              : 'People and programs find it now.'}
          </p>
          <a className="button solid wide" href={`/agents/${view.agent_id}`}>
            See the agent
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
              ? 'It is looked at again soon.'
              : 'The stake is yours: farebox deregister returns it.'}
          </p>
        </Note>
      )
  }
}

function InBlock({ view }: { readonly view: Extract<Stake['view'], { readonly at: 'block' }> }): ReactNode {
  const { agent_id: id, confirmations: have, confirmations_wanted: wanted } = view
  return (
    <div className="stop here">
      <b>In a block, as agent {id}</b>
      {have < wanted ? (
        <>
          {have} of {wanted} blocks on top of it. You can close this page.
          <progress aria-label="Blocks on top" value={have} max={wanted} />
        </>
      ) : (
        'The platform looks at the agent. You can close this page.'
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
          ? 'Your wallet has put another transaction in its place. If that one stakes, it shows here within a minute.'
          : 'It takes longer than it should. Look into the activity of your wallet.'}
      </p>
      <p className="acts">
        <button type="button" className="link" onClick={beginAgain}>
          I cancelled it: begin again
        </button>
      </p>
    </Note>
  )
}
