import { useEffect, useRef, type ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { Sign } from '../../signs/sign.tsx'
import type { StakeView } from '../../stake/stake-view.ts'
import type { Stake } from '../../stake/use-stake.ts'
import { StakeProblemNote } from './stake-problem-note.tsx'

/** The progress of a stake: the money first, then the next step. */
export function StakeProgress({ stake }: { readonly stake: Stake }): ReactNode {
  const { view, isAway } = stake
  const area = useRef<HTMLDivElement>(null)
  const last = useRef(view.at)
  const problem = view.at === 'offer' || view.at === 'doubt' ? view.problem : undefined
  useEffect(() => {
    const isChanged = last.current !== view.at
    last.current = view.at
    if (!isChanged && problem === undefined) return
    // The focused button is gone; the focus moves to the result, so that a screen reader continues there.
    if (isChanged && document.activeElement === document.body) area.current?.focus({ preventScroll: true })
    area.current?.scrollIntoView({ block: 'nearest' })
  }, [view.at, problem])
  return (
    <div ref={area} className="progress" tabIndex={-1} aria-live="polite">
      <StakeStage stake={stake} />
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

/** The stage of a stake: requested, sent, in a block, listed. */
function StakeStage({ stake }: { readonly stake: Stake }): ReactNode {
  const { view, beginAgain } = stake
  switch (view.at) {
    // Shown elsewhere on the page, because this visitor has made no stake.
    case 'already':
      return null
    case 'offer':
      return view.problem && <StakeProblemNote stake={stake} problem={view.problem} />
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
      return <UnansweredStake view={view} beginAgain={beginAgain} />
    case 'sent':
      return (
        <>
          <p className="stop here">
            <b>Sent</b>
            Not confirmed yet. You can close this page. It will continue when you come back.
          </p>
          <LateStake view={view} beginAgain={beginAgain} />
        </>
      )
    case 'block':
      return <StakeInBlock view={view} />
    case 'listed':
      return <ListedAgent view={view} />
    case 'refused':
      return <RefusedAgent view={view} />
  }
}

type ViewAt<At extends StakeView['at']> = Extract<StakeView, { readonly at: At }>

/** Shown when the wallet was asked and did not answer. */
function UnansweredStake(props: {
  readonly view: ViewAt<'doubt'>
  readonly beginAgain: () => void
}): ReactNode {
  const { kept, problem } = props.view
  return (
    <Note tone="warn" alert>
      <p>
        <b>The stake may have been sent.</b> The request was sent to <bdi>{kept.walletName}</bdi>, but there
        was no response. {problem !== undefined && <bdi>{problem.title}</bdi>}
      </p>
      <p>Check your wallet’s activity. If the stake was sent, this page will continue automatically.</p>
      <p className="acts">
        <button type="button" className="link" onClick={props.beginAgain}>
          It was not sent. Start again
        </button>
      </p>
    </Note>
  )
}

/** After this long without a block, the transaction may have been cancelled. */
const LATE_AFTER_SECONDS = 180

/** Offers to begin again only once the stake is unlikely to still arrive. */
function LateStake(props: { readonly view: ViewAt<'sent'>; readonly beginAgain: () => void }): ReactNode {
  const { kept, isReplaced } = props.view
  const isLate = Date.now() / 1_000 - kept.askedAt > LATE_AFTER_SECONDS
  if (!isReplaced && !isLate) return null
  return (
    <Note tone="warn" alert>
      <p>
        {isReplaced
          ? 'Your wallet replaced this transaction with another one. If the new one sends the stake, it will appear here within a minute.'
          : 'This is taking longer than expected. Check your wallet’s activity.'}
      </p>
      <p className="acts">
        <button type="button" className="link" onClick={props.beginAgain}>
          I canceled it. Start again
        </button>
      </p>
    </Note>
  )
}

function StakeInBlock({ view }: { readonly view: ViewAt<'block'> }): ReactNode {
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

function ListedAgent({ view }: { readonly view: ViewAt<'listed'> }): ReactNode {
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
}

function RefusedAgent({ view }: { readonly view: ViewAt<'refused'> }): ReactNode {
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
