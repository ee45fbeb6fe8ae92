import { systemClock } from '@farebox/protocol/time/clock'
import type { Registration } from '@farebox/platform-api/registry'
import { useCallback, useState } from 'react'
import { useRead } from '../site/question.ts'
import { useSite } from '../site/site.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { followRegistration, newestState, type RegistrationState } from './follow-registration.ts'
import type { StakeLock } from './stake-lock.ts'
import type { KeptStake } from './stake-store.ts'

/** Polls a registration and returns its newest state; undefined when there is no registration yet. */
export function useRegistration(of: {
  /** Undefined when there is no registration yet. */
  readonly given: Registration | undefined
  readonly kept: KeptStake | undefined
  readonly wallet: Wallet | undefined
  readonly lock: StakeLock
}): {
  readonly state: RegistrationState | undefined
  /** Reads it immediately. */
  readonly readNow: () => void
} {
  const { given, kept, wallet, lock } = of
  const { ask, platform } = useSite()
  const [read, setRead] = useState<RegistrationState>()
  const [turn, setTurn] = useState(0)
  const state = given && newestState(given, read)
  const id = given?.registration_id
  useRead(
    id && [id, given?.examined_at, kept?.askedAt, kept?.hash, wallet?.address, turn].join(' '),
    async signal => {
      if (state === undefined || id === undefined) return undefined
      const following = {
        ask,
        clock: systemClock,
        chainId: platform.chain_id,
        kept,
        wallet,
        isHidden: () => document.hidden,
        isHeldElsewhere: () => lock.isHeldElsewhere(id),
      }
      await followRegistration(state, following, signal, setRead)
      return undefined
    },
  )
  return { state, readNow: useCallback(() => setTurn(count => count + 1), []) }
}
