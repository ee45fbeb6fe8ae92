import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { useEffect, useState } from 'react'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'

/** A browser orders with one wallet, or a few. */
const MOST_WALLETS = 5

/**
 * The USDC that agents moved from these wallets within their limits, as the chain has it, in atomic units; 0 where nothing
 * can be moved on this chain. Undefined: not known, because it is not read yet or the chain does not answer.
 *
 * @param wallets addresses, each once
 */
export function useMoved(wallets: readonly string[]): bigint | undefined {
  const { ask, platform } = useSite()
  const [moved, setMoved] = useState<bigint>()
  const asked = wallets.slice(0, MOST_WALLETS).join(',')
  const isThere = platform.spend_permissions_address !== null && asked !== ''
  useEffect(() => {
    if (!isThere) return undefined
    const left = new AbortController()
    const read = async (): Promise<void> => {
      const { signal } = left
      const limits = await Promise.all(
        asked.split(',').map(wallet => ask(`/v1/limits/${wallet}`, answers.walletLimits, { signal })),
      )
      if (!signal.aborted) setMoved(limits.reduce((sum, one) => sum + sumSpent(one), 0n))
    }
    // The page then says that its figure is of jobs alone.
    read().catch(() => undefined)
    return () => left.abort(new Error('the page was left'))
  }, [ask, asked, isThere])
  return isThere ? moved : 0n
}

/** Of the token that jobs are paid in. */
function sumSpent({ permissions, token }: WalletLimits): bigint {
  return permissions
    .filter(permission => permission.token === token.address)
    .reduce((sum, { spent }) => sum + BigInt(spent), 0n)
}
