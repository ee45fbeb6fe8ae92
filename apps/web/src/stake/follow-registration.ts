import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Registration } from '@farebox/platform-api/registry'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import type { TransactionOutcome } from '../wallet/read-transaction.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { KeptStake } from './stake-store.ts'

/** The state of a registration in this tab. */
export interface RegistrationState {
  readonly registration: Registration
  /** Whether the platform did not answer the last request. */
  readonly isAway: boolean
  /** Whether another tab of this browser holds the lock of the stake. */
  readonly isHeld: boolean
  /** Whether this tab has seen the registration before it was listed. */
  readonly isFollowed: boolean
  /** The last transaction that the wallet's chain was asked about; undefined when there was none. */
  readonly sent: { readonly hash: string; readonly outcome: TransactionOutcome } | undefined
}

/** The inputs of following a registration. */
export interface Following {
  readonly ask: Ask
  readonly clock: Pick<Clock, 'after'>
  readonly chainId: number
  /** The stake that this browser stores. */
  readonly kept: KeptStake | undefined
  readonly wallet: Wallet | undefined
  readonly isHidden: () => boolean
  readonly isHeldElsewhere: () => Promise<boolean>
}

const FOLLOWED_EVERY_MS = 2_000
/** Polled although no stake was sent from here, because it may also be sent from a command line or a phone. */
const UNSTAKED_EVERY_MS = 3_000

/**
 * Polls a registration and passes each state to `give`, until its status no longer changes by itself. While there is no
 * stake, a hidden page does not poll.
 *
 * @throws the signal's reason once it aborts
 */
export async function followRegistration(
  from: RegistrationState,
  following: Following,
  signal: AbortSignal,
  give: (state: RegistrationState) => void,
): Promise<void> {
  const { kept, clock, isHidden } = following
  let state = from
  while (!isRegistrationOver(state.registration)) {
    const isStaked = kept !== undefined || state.registration.status.state !== 'waiting_for_stake'
    if (isStaked || !isHidden()) {
      state = await readState(state, following, signal)
      signal.throwIfAborted()
      give(state)
    }
    await sleep(clock, isStaked ? FOLLOWED_EVERY_MS : UNSTAKED_EVERY_MS, signal)
    signal.throwIfAborted()
  }
}

/** Whether the status of a registration no longer changes by itself. */
export function isRegistrationOver({ status }: Registration): boolean {
  return status.state === 'listed' || (status.state === 'refused' && !status.retried)
}

/**
 * The newer one of the registration that a page was given, and the state that this tab has read of the same registration.
 */
export function newestState(given: Registration, read: RegistrationState | undefined): RegistrationState {
  const isFollowed = given.status.state !== 'listed'
  if (read?.registration.registration_id !== given.registration_id)
    return { registration: given, isAway: false, isHeld: false, isFollowed, sent: undefined }
  const isReadLast = read.registration.examined_at >= given.examined_at
  return isReadLast ? read : { ...read, registration: given, isFollowed: read.isFollowed || isFollowed }
}

async function readState(
  before: RegistrationState,
  following: Following,
  signal: AbortSignal,
): Promise<RegistrationState> {
  const path = `/v1/registrations/${before.registration.registration_id}`
  const answer = await following.ask(path, answers.registration, { signal }).catch(() => undefined)
  // Without locks, the stake counts as not held.
  const isHeld = await following.isHeldElsewhere().catch(() => false)
  const sent = answer?.status.state === 'waiting_for_stake' ? await readSent(following) : undefined
  const registration = answer ?? before.registration
  return {
    registration,
    isAway: answer === undefined,
    isHeld,
    isFollowed: before.isFollowed || registration.status.state !== 'listed',
    sent: sent ?? before.sent,
  }
}

/** Asks the wallet's chain about a stake that the platform has not seen. Undefined when not asked or not answered. */
async function readSent({ kept, wallet, chainId }: Following): Promise<RegistrationState['sent']> {
  const hash = kept?.hash
  if (kept === undefined || hash === undefined || wallet === undefined) return undefined
  const { readTransaction } = await import('../wallet/read-transaction.ts')
  const outcome = await readTransaction(wallet, kept, chainId).catch(() => undefined)
  return outcome && { hash, outcome }
}
