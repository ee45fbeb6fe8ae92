import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { useEffect, useState } from 'react'
import { useSite } from '../../site/site.ts'

/** A browser orders with one wallet, or a few. */
const MOST_WALLETS = 5

/**
 * Adds up what agents moved of these wallets' USDC within their limits, as the chain has it, in atomic units. Undefined: not
 * known, or nothing can be moved on this chain.
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
        asked.split(',').map(wallet => ask<WalletLimits>(`/v1/limits/${wallet}`, { signal })),
      )
      if (!signal.aborted) setMoved(limits.reduce((sum, one) => sum + sumSpent(one), 0n))
    }
    // Without it the page shows what was paid, and says so.
    read().catch(() => undefined)
    return () => left.abort(new Error('the page was left'))
  }, [ask, asked, isThere])
  return isThere ? moved : undefined
}

/** Of the token that jobs are paid in. */
function sumSpent({ permissions, token }: WalletLimits): bigint {
  return permissions
    .filter(permission => permission.token === token.address)
    .reduce((sum, { spent }) => sum + BigInt(spent), 0n)
}
