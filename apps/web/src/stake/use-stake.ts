import type { Registration } from '@farebox/platform-api/registry'
import { useCallback, useEffect, useRef, useState } from 'react'
import { usePurse } from '../purse/purse-context.ts'
import { useAction } from '../site/action.ts'
import { useSite } from '../site/site.ts'
import { createStakeLock, type StakeLock } from './stake-lock.ts'
import { explainStake, REVERTED } from './stake-problem.ts'
import { forgetStake, readKeptStake, watchStake, type KeptStake } from './stake-store.ts'
import { endOfStake, viewStake, type Attempt, type StakeView } from './stake-view.ts'
import { useRegistration } from './use-registration.ts'

/** The stake of a registration, and the actions on it. */
export interface Stake {
  /** As the platform last reported it. */
  readonly registration: Registration
  readonly view: StakeView
  /** Whether the platform did not answer the last request. */
  readonly isAway: boolean
  /**
   * Has the wallet send the stake, after asking for a wallet if there is none. At most one attempt at a time, across all
   * tabs.
   */
  readonly stake: () => void
  /** Has the wallet let its owner choose an account, and continues. */
  readonly chooseAccount: () => void
  /** Does the same with another wallet. */
  readonly useOther: () => void
  /** Starts over, because the reader reports that nothing was sent. */
  readonly beginAgain: () => void
}

const IDLE: Attempt = { step: 'idle' }

/** Manages the stake of a registration; undefined when there is no registration yet. */
export function useStake(given: Registration | undefined): Stake | undefined {
  const { wallet, refresh } = usePurse()
  const [lock] = useState(createStakeLock)
  const { kept, hasStaked, reread, forget } = useKeptStake(given?.registration_id ?? '')
  const { state, readNow } = useRegistration({ given, kept, wallet, lock })
  const { attempt, setAttempt, attemptBy } = useAttempt(state?.registration, lock, () => {
    reread()
    readNow()
  })
  const end = state && endOfStake(state, kept)
  useEffect(() => {
    if (end === undefined) return
    forget()
    if (end === 'over') refresh()
    else setAttempt({ step: 'stopped', problem: REVERTED })
  }, [end, forget, refresh, setAttempt])
  const begin = (): void => attemptBy(false)
  useGoOn(attempt, wallet, begin)
  if (state === undefined) return undefined
  return {
    registration: state.registration,
    view: viewStake(state, { kept, hasStaked, attempt }),
    isAway: state.isAway,
    stake: begin,
    useOther: () => attemptBy(true),
    chooseAccount() {
      const asked = wallet?.accounts?.choose() ?? Promise.resolve()
      asked.then(begin, () => undefined)
    },
    beginAgain() {
      forget()
      setAttempt(IDLE)
    },
  }
}

/** The stake that this browser stores, whichever tab sent it. */
function useKeptStake(id: string): {
  readonly kept: KeptStake | undefined
  /** Whether a stake was stored while the page was open. */
  readonly hasStaked: boolean
  readonly reread: () => void
  readonly forget: () => void
} {
  const [kept, setKept] = useState<KeptStake>()
  const [stakedId, setStakedId] = useState<string>()
  const reread = useCallback(() => {
    const stake = readKeptStake(id)
    setKept(stake)
    if (stake !== undefined) setStakedId(id)
  }, [id])
  const forget = useCallback(() => {
    forgetStake(id)
    setKept(undefined)
  }, [id])
  useEffect(() => {
    reread()
    return watchStake(id, reread)
  }, [id, reread])
  return { kept, hasStaked: stakedId === id, reread, forget }
}

/** The attempts of this tab to have the stake sent. */
function useAttempt(registration: Registration | undefined, lock: StakeLock, changed: () => void) {
  const { platform, ask } = useSite()
  const { connect } = usePurse()
  const [attempt, setAttempt] = useState<Attempt>(IDLE)
  const id = registration?.registration_id
  useEffect(() => setAttempt(IDLE), [id])
  const send = async (another: boolean): Promise<void> => {
    const wallet = await connect({ another })
    if (wallet === undefined || registration === undefined) return
    const report = (words: string): void => setAttempt({ step: 'asking', words })
    report(`Waiting for ${wallet.name}`)
    const { sendStake } = await import('./send-stake.ts')
    await lock.hold(registration.registration_id, async () => {
      const sent = await sendStake({ ask, platform, registration, wallet, report })
      setAttempt(IDLE)
      changed()
      return sent?.hash !== undefined
    })
  }
  const { act } = useAction(async (_left, another: boolean) => {
    setAttempt(IDLE)
    try {
      await send(another)
    } catch (error) {
      setAttempt({ step: 'stopped', problem: explainStake(error) })
    }
    changed()
  })
  return { attempt, setAttempt, attemptBy: act }
}

/** Continues when the reader switches to the right account in the wallet, because they have already asked to stake. */
function useGoOn(attempt: Attempt, wallet: unknown, begin: () => void): void {
  const seen = useRef(wallet)
  useEffect(() => {
    const isChanged = seen.current !== wallet
    seen.current = wallet
    if (isChanged && attempt.step === 'stopped' && attempt.problem.way === 'other-account') begin()
  })
}
