import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { useCallback, useEffect, useRef, useState } from 'react'
import { answers } from '../site/answers.ts'
import { useSite } from '../site/site.ts'

/** What a wallet permits, as it was last read. */
export interface ReadLimits {
  /** Undefined: not read yet. */
  readonly limits: WalletLimits | undefined
  readonly failure: unknown
  /** Reads again; resolves once the answer is as of this block, or after a while without. */
  readonly refresh: (block?: number) => Promise<void>
}

const EVERY_MS = 20_000
const CATCH_UP_MS = 1_000
const MOST_TRIES = 15

/**
 * Reads what a wallet permits, and again while somebody is at the page.
 *
 * @param address undefined: there is nothing to be read
 */
export function useLimits(address: string | undefined): ReadLimits {
  const { ask, platform } = useSite()
  const isThere = platform.spend_permissions_address !== null
  const [read, setRead] = useState<WalletLimits>()
  const [failure, setFailure] = useState<unknown>()
  const current = useRef(address)
  current.current = isThere ? address : undefined
  const readOnce = useCallback(async (): Promise<WalletLimits | undefined> => {
    const asked = current.current
    if (asked === undefined) return undefined
    try {
      const answer = await ask(`/v1/limits/${asked}`, answers.walletLimits)
      if (current.current !== asked) return undefined
      setRead(answer)
      setFailure(undefined)
      return answer
    } catch (error) {
      if (current.current === asked) setFailure(error)
      return undefined
    }
  }, [ask])
  const refresh = useCallback(
    async (block = 0): Promise<void> => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const answer = await readOnce()
        if (answer === undefined || answer.block_number >= block) return
        await new Promise(resolve => setTimeout(resolve, CATCH_UP_MS))
      }
    },
    [readOnce],
  )
  useEffect(() => {
    setRead(undefined)
    setFailure(undefined)
    if (address === undefined || !isThere) return undefined
    void readOnce()
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void readOnce()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [address, isThere, readOnce])
  return { limits: read?.address === address ? read : undefined, failure, refresh }
}
