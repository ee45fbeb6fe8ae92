import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import type { StakeProblem } from '../../stake/stake-problem.ts'
import type { Stake } from '../../stake/use-stake.ts'

interface Props {
  readonly stake: Stake
  readonly problem: StakeProblem
}

/** What kept the stake from being sent. The button below tries again. */
export function Problem({ stake, problem }: Props): ReactNode {
  return (
    <Note tone="warn" alert>
      <p>
        <b>
          <bdi>{problem.title}</bdi>
        </b>{' '}
        <bdi>{problem.message}</bdi>
      </p>
      <p className="acts">
        <button type="button" className="link" onClick={stake.useOther}>
          Use another wallet
        </button>
      </p>
    </Note>
  )
}

/** Another account than the wallet of /about: the page goes on when it is changed. */
export function OtherAccount({ stake, problem }: Props): ReactNode {
  return (
    <Note tone="warn" alert>
      <p>
        <b>{problem.title}</b> <bdi>{problem.message}</bdi>
      </p>
      <p>Switch to that account in your wallet, and this page will continue.</p>
      <p className="acts">
        <button type="button" className="link" onClick={stake.chooseAccount}>
          Choose the account
        </button>
        <button type="button" className="link" onClick={stake.useOther}>
          Use another wallet
        </button>
      </p>
    </Note>
  )
}
