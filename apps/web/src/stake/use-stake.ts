import type { Registration } from '@farebox/platform-api/registry'
import { useCallback, useEffect, useRef, useState } from 'react'
import { usePurse } from '../purse/purse-context.ts'
import { useAction } from '../site/action.ts'
import { useSite } from '../site/site.ts'
import { isSettled, useRegistration } from './use-registration.ts'
import { viewStake, type Attempt, type StakeView } from './stake-view.ts'
import { explainStake, StakeProblem } from './stake-problem.ts'
import { forgetStake, readStake, stakeKey, watchStake, type KeptStake } from './stake-store.ts'

/** The stake of a registration, and what can be done about it. */
export interface Stake {
  /** As the platform last told it. */
  readonly registration: Registration
  readonly view: StakeView
  /** The platform did not answer when it was last asked. */
  readonly isAway: boolean
  /** Asks for a wallet where there is none, and has it send. At most one at a time, over all tabs. */
  readonly stake: () => void
  /** Has the wallet ask its person for the account, and goes on. */
  readonly chooseAccount: () => void
  /** The same with another wallet. */
  readonly useOther: () => void
  /** Its person says that nothing was sent. */
  readonly beginAgain: () => void
}

/** A tab that reads what another has stored may be a moment late: the lock is kept as long. */
const LOCK_KEPT_MS = 3_000

const IDLE: Attempt = { step: 'idle' }

/** Drives the stake of a registration. Undefined: there is none so far. */
export function useStake(given: Registration | undefined): Stake | undefined {
  const { platform, ask } = useSite()
  const { wallet, connect, refresh } = usePurse()
  const id = given?.registration_id ?? ''
  const [attempt, setAttempt] = useState<Attempt>(IDLE)
  const [kept, setKept] = useState<KeptStake>()
  const [followedId, setFollowedId] = useState<string>()
  const hasLock = useRef(false)
  const holdsLock = useCallback(() => hasLock.current, [])
  const read = useCallback(() => setKept(readStake(id)), [id])
  useEffect(() => {
    setAttempt(IDLE)
    read()
    if (readStake(id) !== undefined) setFollowedId(id)
    return watchStake(id, read)
  }, [id, read])
  const { registration, isAway, fate, isHeld, look } = useRegistration({ given, kept, wallet, holdsLock })
  const isOver = registration !== undefined && isSettled(registration)
  const isListed = registration?.status.state === 'listed'

  useEffect(() => {
    if (id !== '' && !isListed) setFollowedId(id)
  }, [id, isListed])

  useEffect(() => {
    if (!isOver) return
    forgetStake(id)
    setKept(undefined)
    refresh()
  }, [isOver, id, refresh])
  useEffect(() => {
    if (fate !== 'reverted') return
    forgetStake(id)
    setKept(undefined)
    setAttempt({
      step: 'stopped',
      problem: new StakeProblem(
        'The contract rejected the stake.',
        'The stake was not transferred to the registry. Only gas was spent.',
      ),
    })
  }, [fate, id])

  const attemptStake = async (another: boolean): Promise<void> => {
    const chosen = await connect({ another })
    if (chosen === undefined || registration === undefined) return
    const tell = (words: string): void => setAttempt({ step: 'asking', words })
    tell(`Waiting for ${chosen.name}`)
    const { sendStake } = await import('./send-stake.ts')
    // One tab at a time: what this one keeps, the next one finds.
    await navigator.locks.request(stakeKey(id), { ifAvailable: true }, async lock => {
      if (lock === null)
        throw new StakeProblem('Another tab is already staking.', 'Confirm or decline the transaction there.')
      hasLock.current = true
      const sent = await sendStake({ ask, platform, registration, wallet: chosen, tell })
      read()
      setAttempt(IDLE)
      look()
      if (sent?.hash !== undefined) await new Promise(resolve => setTimeout(resolve, LOCK_KEPT_MS))
    })
  }
  const { act } = useAction(async (_left, another: boolean) => {
    setAttempt(IDLE)
    try {
      await attemptStake(another)
    } catch (error) {
      read()
      setAttempt({ step: 'stopped', problem: explainStake(error) })
    }
    hasLock.current = false
    look()
  })
  const begin = (): void => act(false)
  useGoOn(attempt, wallet, begin)
  if (registration === undefined) return undefined

  return {
    registration,
    view: viewStake({
      status: registration.status,
      kept,
      attempt,
      fate,
      isHeld,
      isFollowed: followedId === id,
    }),
    isAway,
    stake: begin,
    useOther: () => act(true),
    chooseAccount() {
      const asked = wallet?.accounts?.choose() ?? Promise.resolve()
      asked.then(begin, () => undefined)
    },
    beginAgain() {
      forgetStake(id)
      setKept(undefined)
      setAttempt(IDLE)
    },
  }
}

/** Who changes to the right account in the wallet has said already that they want to stake. */
function useGoOn(attempt: Attempt, wallet: unknown, begin: () => void): void {
  const seen = useRef(wallet)
  useEffect(() => {
    const isChanged = seen.current !== wallet
    seen.current = wallet
    if (isChanged && attempt.step === 'stopped' && attempt.problem.way === 'other-account') begin()
  })
}
