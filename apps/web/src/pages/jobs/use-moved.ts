import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
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
  const asked = wallets.slice(0, MOST_WALLETS)
  const isThere = platform.spend_permissions_address !== null && asked.length > 0
  // Where it fails the page says that its figure is of jobs alone.
  const { answer: moved } = useRead(
    isThere ? asked.join(',') : undefined,
    async signal => {
      const limits = await Promise.all(
        asked.map(wallet => ask(`/v1/limits/${wallet}`, answers.walletLimits, { signal })),
      )
      return limits.reduce((sum, one) => sum + sumSpent(one), 0n)
    },
    { keeps: true },
  )
  return isThere ? moved : 0n
}

/** Of the token that jobs are paid in. */
function sumSpent({ permissions, token }: WalletLimits): bigint {
  return permissions
    .filter(permission => permission.token === token.address)
    .reduce((sum, { spent }) => sum + BigInt(spent), 0n)
}
