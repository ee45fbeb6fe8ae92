import type { RegistrationStatus } from '@farebox/platform-api/registry'
import { isRegistrationOver, type RegistrationState } from './follow-registration.ts'
import type { StakeProblem } from './stake-problem.ts'
import type { KeptStake } from './stake-store.ts'

/** The attempt of this tab to have the stake sent. */
export type Attempt =
  | { readonly step: 'idle' }
  | { readonly step: 'asking'; readonly words: string }
  | { readonly step: 'stopped'; readonly problem: StakeProblem }

/** The state of a stake, as a page shows it. */
export type StakeView =
  /** The stake can be sent from this tab. */
  | { readonly at: 'offer'; readonly problem: StakeProblem | undefined }
  | { readonly at: 'asking'; readonly words: string }
  /** Another tab is waiting for the wallet. */
  | { readonly at: 'elsewhere' }
  /** The wallet was asked, and it is not known whether it sent the transaction. */
  | { readonly at: 'doubt'; readonly kept: KeptStake; readonly problem: StakeProblem | undefined }
  /** The transaction was sent, and is in no block that the platform has seen. */
  | { readonly at: 'sent'; readonly kept: KeptStake; readonly isReplaced: boolean }
  | ({ readonly at: 'block' } & Omit<Extract<RegistrationStatus, { readonly state: 'confirming' }>, 'state'>)
  /** The agent was listed before this browser staked for it or followed it. */
  | ({ readonly at: 'already' } & Omit<Extract<RegistrationStatus, { readonly state: 'listed' }>, 'state'>)
  | ({ readonly at: 'listed' } & Omit<Extract<RegistrationStatus, { readonly state: 'listed' }>, 'state'>)
  | ({ readonly at: 'refused' } & Omit<Extract<RegistrationStatus, { readonly state: 'refused' }>, 'state'>)

/** Derives the view: the platform's status has priority, then what this browser has sent, then what this tab is doing. */
export function viewStake(
  { registration, sent, isHeld, isFollowed }: RegistrationState,
  browser: {
    readonly kept: KeptStake | undefined
    readonly attempt: Attempt
    /** Whether a stake was stored here while the page was open. */
    readonly hasStaked: boolean
  },
): StakeView {
  const { kept, attempt, hasStaked } = browser
  const { status } = registration
  switch (status.state) {
    case 'confirming': {
      const { state: _, ...facts } = status
      return { at: 'block', ...facts }
    }
    case 'listed': {
      const { state: _, ...facts } = status
      return { at: isFollowed || hasStaked ? 'listed' : 'already', ...facts }
    }
    case 'refused': {
      const { state: _, ...facts } = status
      return { at: 'refused', ...facts }
    }
    case 'waiting_for_stake':
      break
  }
  if (kept?.hash !== undefined) {
    const isReplaced = sent?.hash === kept.hash && sent.outcome === 'replaced'
    return { at: 'sent', kept, isReplaced }
  }
  if (attempt.step === 'asking') return { at: 'asking', words: attempt.words }
  const problem = attempt.step === 'stopped' ? attempt.problem : undefined
  if (isHeld) return { at: 'elsewhere' }
  return kept === undefined ? { at: 'offer', problem } : { at: 'doubt', kept, problem }
}

/** Why a stake need not be stored any more: its registration is over, or the contract refused it. Undefined otherwise. */
export function endOfStake(
  { registration, sent }: RegistrationState,
  kept: KeptStake | undefined,
): 'over' | 'reverted' | undefined {
  if (isRegistrationOver(registration)) return 'over'
  const isReverted = kept?.hash !== undefined && sent?.hash === kept.hash && sent.outcome === 'reverted'
  return isReverted ? 'reverted' : undefined
}
