import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import type { StakeProblem } from '../../stake/stake-problem.ts'
import type { Stake } from '../../stake/use-stake.ts'

/** Why the stake was not sent. The button below tries again; choosing the right account in the wallet continues as well. */
export function StakeProblemNote(props: {
  readonly stake: Stake
  readonly problem: StakeProblem
}): ReactNode {
  const { stake, problem } = props
  const isOtherAccount = problem.way === 'other-account'
  return (
    <Note tone="warn" alert>
      <p>
        <b>
          <bdi>{problem.title}</bdi>
        </b>{' '}
        <bdi>{problem.message}</bdi>
      </p>
      {isOtherAccount && <p>Switch to that account in your wallet, and this page will continue.</p>}
      <p className="acts">
        {isOtherAccount && (
          <button type="button" className="link" onClick={stake.chooseAccount}>
            Choose the account
          </button>
        )}
        <button type="button" className="link" onClick={stake.useOther}>
          Use another wallet
        </button>
      </p>
    </Note>
  )
}
