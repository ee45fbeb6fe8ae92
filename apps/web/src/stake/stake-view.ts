import type { RegistrationStatus } from '@farebox/platform-api/registry'
import type { TransactionFate } from '../wallet/read-transaction.ts'
import type { StakeProblem } from './stake-problem.ts'
import type { KeptStake } from './stake-store.ts'

/** What this tab does about the stake. */
export type Attempt =
  | { readonly step: 'idle' }
  | { readonly step: 'asking'; readonly words: string }
  | { readonly step: 'stopped'; readonly problem: StakeProblem }

/** How a stake stands, for whoever looks at the page. */
export type StakeView =
  /** It can be sent from here. */
  | { readonly at: 'offer'; readonly problem: StakeProblem | undefined }
  | { readonly at: 'asking'; readonly words: string }
  /** Another tab waits for the wallet. */
  | { readonly at: 'elsewhere' }
  /** The wallet was asked, and nobody knows whether it sent. */
  | { readonly at: 'doubt'; readonly kept: KeptStake; readonly problem: StakeProblem | undefined }
  /** Sent, and in no block that the platform has seen. */
  | { readonly at: 'sent'; readonly kept: KeptStake; readonly isReplaced: boolean }
  | ({ readonly at: 'block' } & Omit<Extract<RegistrationStatus, { readonly state: 'confirming' }>, 'state'>)
  /** Since before this browser had a part in it. */
  | ({ readonly at: 'already' } & Omit<Extract<RegistrationStatus, { readonly state: 'listed' }>, 'state'>)
  | ({ readonly at: 'listed' } & Omit<Extract<RegistrationStatus, { readonly state: 'listed' }>, 'state'>)
  | ({ readonly at: 'refused' } & Omit<Extract<RegistrationStatus, { readonly state: 'refused' }>, 'state'>)

/** What the platform has seen comes first, then what this browser has sent, then what it does. */
export function viewStake(known: {
  readonly status: RegistrationStatus
  readonly kept: KeptStake | undefined
  readonly attempt: Attempt
  readonly fate: TransactionFate
  /** Some tab of this browser is about to stake, or has just done it. */
  readonly isHeld: boolean
  /** This browser has staked, or seen the registration before it was listed. */
  readonly isFollowed: boolean
}): StakeView {
  const { status, kept, attempt, fate, isHeld, isFollowed } = known
  switch (status.state) {
    case 'confirming': {
      const { state: _, ...told } = status
      return { at: 'block', ...told }
    }
    case 'listed': {
      const { state: _, ...told } = status
      return { at: isFollowed ? 'listed' : 'already', ...told }
    }
    case 'refused': {
      const { state: _, ...told } = status
      return { at: 'refused', ...told }
    }
    case 'waiting_for_stake':
      break
  }
  if (kept?.hash !== undefined) return { at: 'sent', kept, isReplaced: fate === 'replaced' }
  if (attempt.step === 'asking') return { at: 'asking', words: attempt.words }
  const problem = attempt.step === 'stopped' ? attempt.problem : undefined
  if (isHeld) return { at: 'elsewhere' }
  return kept === undefined ? { at: 'offer', problem } : { at: 'doubt', kept, problem }
}
