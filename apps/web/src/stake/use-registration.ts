import type { Registration } from '@farebox/platform-api/registry'
import { useCallback, useEffect, useRef, useState } from 'react'
import { answers } from '../site/answers.ts'
import { useSite } from '../site/site.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { TransactionFate } from '../wallet/read-transaction.ts'
import { stakeKey, type KeptStake } from './stake-store.ts'

const FOLLOWED_EVERY_MS = 2_000
/** Who has not staked here may have staked elsewhere: on a command line, on a phone. */
const LOOKED_AT_EVERY_MS = 3_000

/** How far a registration is, asked again and again until there is nothing more to learn. */
export function useRegistration(asked: {
  /** Undefined: there is none so far. */
  readonly given: Registration | undefined
  readonly kept: KeptStake | undefined
  readonly wallet: Wallet | undefined
  /** Whether the lock is this tab's own. */
  readonly holdsLock: () => boolean
}): {
  readonly registration: Registration | undefined
  readonly isAway: boolean
  readonly fate: TransactionFate
  readonly isHeld: boolean
  /** Asks now. */
  readonly look: () => void
} {
  const { given, kept, wallet, holdsLock } = asked
  const { ask, platform } = useSite()
  const [told, setTold] = useState<Registration>()
  const [isAway, setAway] = useState(false)
  const [fate, setFate] = useState<{ readonly hash: string; readonly of: TransactionFate }>()
  const [isHeld, setHeld] = useState(false)
  const [looks, setLooks] = useState(0)
  const isToldLast =
    told?.registration_id === given?.registration_id &&
    told !== undefined &&
    told.examined_at >= (given?.examined_at ?? 0)
  const registration = isToldLast ? told : given
  const id = registration?.registration_id
  const isOver = registration === undefined || isSettled(registration)
  const isFollowed = kept !== undefined || registration?.status.state !== 'waiting_for_stake'
  const latest = useRef({ kept, wallet, isFollowed })
  useEffect(() => {
    latest.current = { kept, wallet, isFollowed }
  })

  useEffect(() => {
    if (isOver || id === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const leaving = new AbortController()
    const read = async (): Promise<void> => {
      const { kept: stake, wallet: by, isFollowed: mustLook } = latest.current
      if (!mustLook && document.hidden) return
      const answer = await ask(`/v1/registrations/${id}`, answers.registration, {
        signal: leaving.signal,
      }).catch(() => undefined)
      const isLocked = !holdsLock() && (await isLockHeld(id)) && !holdsLock()
      const of = await fateOf(answer, stake, by, platform.chain_id)
      if (leaving.signal.aborted) return
      setAway(answer === undefined)
      setHeld(isLocked)
      if (answer !== undefined) setTold(answer)
      if (of !== undefined && stake?.hash !== undefined) setFate({ hash: stake.hash, of })
    }
    const again = (): void => {
      read()
        .catch(() => undefined)
        .finally(() => {
          if (leaving.signal.aborted) return
          timer = setTimeout(again, latest.current.isFollowed ? FOLLOWED_EVERY_MS : LOOKED_AT_EVERY_MS)
        })
    }
    again()
    return () => {
      leaving.abort(new Error('the page was left'))
      clearTimeout(timer)
    }
  }, [ask, id, isOver, looks, platform.chain_id, holdsLock])

  return {
    registration,
    isAway,
    fate: fate !== undefined && fate.hash === kept?.hash ? fate.of : 'unknown',
    isHeld,
    look: useCallback(() => setLooks(count => count + 1), []),
  }
}

/** Whether nothing more can become of it by itself. */
export function isSettled({ status }: Registration): boolean {
  return status.state === 'listed' || (status.state === 'refused' && !status.retried)
}

/** Only what the platform has not seen is asked for at the chain of the wallet. */
async function fateOf(
  answer: Registration | undefined,
  kept: KeptStake | undefined,
  wallet: Wallet | undefined,
  chainId: number,
): Promise<TransactionFate | undefined> {
  if (answer?.status.state !== 'waiting_for_stake' || kept?.hash === undefined || wallet === undefined)
    return undefined
  const { readTransaction } = await import('../wallet/read-transaction.ts')
  return await readTransaction(wallet, kept, chainId).catch(() => undefined)
}

async function isLockHeld(id: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === stakeKey(id))
}
