import type { SpendLine, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { failedOfBrowser, failedOfWallet, findRefused, type RefusedSpend } from './refused-spends.ts'

/** What was spent and what was refused, as far as it was read. */
export interface Spent {
  /** Undefined: not read so far. */
  readonly spends: readonly SpendLine[] | undefined
  readonly total: number
  readonly refused: readonly RefusedSpend[]
  readonly failure: unknown
  /** Reads the spends before these; undefined: there are none. */
  readonly more: (() => void) | undefined
}

/** Reads the spends of a wallet page by page, and anew when its limits have changed. */
export function useSpent(limits: WalletLimits, failed: PayerJobs['jobs'] | null): Spent {
  const { ask } = useSite()
  const { address } = limits
  const path = `/v1/limits/${address}/spends`
  const spentInAll = limits.permissions.reduce((sum, { spent }) => sum + BigInt(spent), 0n).toString()
  const {
    answer: pages,
    failure,
    more,
  } = useRead(`${address} ${spentInAll}`, async signal => await ask(path, answers.walletSpends, { signal }), {
    keeps: true,
  })
  const { answer: refused } = useRead(address, async () => {
    const jobs =
      failed === null
        ? failedOfBrowser(await (await import('../../kept/order-store.ts')).listOrders(), address)
        : failedOfWallet(failed)
    return await findRefused(ask, jobs)
  })
  const cursor = pages?.next_cursor ?? null
  return {
    spends: pages?.spends,
    total: pages?.total ?? 0,
    refused: refused ?? [],
    failure,
    more:
      pages === undefined || cursor === null
        ? undefined
        : () =>
            more(async signal => {
              const query = `?cursor=${encodeURIComponent(cursor)}`
              const next = await ask(path + query, answers.walletSpends, { signal })
              return { ...next, spends: [...pages.spends, ...next.spends] }
            }),
  }
}
