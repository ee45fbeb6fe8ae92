import type { SpendLine, WalletLimits, WalletSpends } from '@farebox/platform-api/limits/wallet-limits'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { useCallback, useEffect, useState } from 'react'
import { answers } from '../../site/answers.ts'
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
  const [pages, setPages] = useState<WalletSpends>()
  const [failure, setFailure] = useState<unknown>()
  const [refused, setRefused] = useState<readonly RefusedSpend[]>([])
  const read = useCallback(
    async (cursor?: string): Promise<void> => {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
      try {
        const answer = await ask(`/v1/limits/${address}/spends${query}`, answers.walletSpends)
        setPages(before =>
          cursor === undefined || before === undefined
            ? answer
            : { ...answer, spends: [...before.spends, ...answer.spends] },
        )
        setFailure(undefined)
      } catch (error) {
        setFailure(error)
      }
    },
    [ask, address],
  )
  const spentInAll = limits.permissions.reduce((sum, { spent }) => sum + BigInt(spent), 0n).toString()
  useEffect(() => void read(), [read, spentInAll])
  useEffect(() => {
    let isGone = false
    const find = async (): Promise<void> => {
      const jobs =
        failed === null
          ? failedOfBrowser(await (await import('../../kept/order-store.ts')).listOrders(), address)
          : failedOfWallet(failed)
      const found = await findRefused(ask, jobs)
      if (!isGone) setRefused(found)
    }
    find().catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [ask, address, failed])
  const cursor = pages?.next_cursor ?? null
  return {
    spends: pages?.spends,
    total: pages?.total ?? 0,
    refused,
    failure,
    more: cursor === null ? undefined : () => void read(cursor),
  }
}
