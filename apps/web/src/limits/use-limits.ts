import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { useCallback } from 'react'
import { answers } from '../site/answers.ts'
import { useAsk } from '../site/question.ts'
import { useSite } from '../site/site.ts'

/** The permissions of a wallet, as last read. */
export interface ReadLimits {
  /** Undefined: not read yet. */
  readonly limits: WalletLimits | undefined
  readonly failure: unknown
  /** Reads again. Resolves once the answer includes this block, or after a timeout. */
  readonly refresh: (block?: number) => Promise<void>
}

const EVERY_MS = 20_000
const CATCH_UP_MS = 1_000
const MOST_TRIES = 15

/**
 * Reads the permissions of a wallet, and reads them again while the page is visible.
 *
 * @param address undefined when there is nothing to read
 */
export function useLimits(address: string | undefined): ReadLimits {
  const { platform } = useSite()
  const isThere = address !== undefined && platform.spend_permissions_address !== null
  const path = isThere ? `/v1/limits/${address}` : undefined
  const { answer: limits, failure, again } = useAsk(path, answers.walletLimits, { everyMs: EVERY_MS })
  const refresh = useCallback(
    async (block = 0): Promise<void> => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const answer = await again()
        if (answer === undefined || answer.block_number >= block) return
        await sleep(systemClock, CATCH_UP_MS)
      }
    },
    [again],
  )
  return { limits, failure, refresh }
}
