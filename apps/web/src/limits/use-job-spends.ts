import type { SpendLine } from '@farebox/platform-api/limits/wallet-limits'
import { useEffect, useState } from 'react'
import { answers } from '../site/answers.ts'
import { useSite } from '../site/site.ts'

/** What was moved for jobs, by job in lower case. */
export type JobSpends = ReadonlyMap<string, readonly SpendLine[]>

/** The most jobs that one question names. */
const MOST_JOBS = 50
/** The platform reads the chain a moment after a job has ended. */
const READ_AFTER_MS = [0, 2_000, 6_000]

/**
 * What agents moved of a payer's tokens for jobs, by job in lower case. Undefined: not read so far.
 *
 * @param jobs those that have ended; none of them moves anything any more
 */
export function useJobSpends(payer: string | null, jobs: readonly string[]): JobSpends | undefined {
  const { ask, platform } = useSite()
  const [spends, setSpends] = useState<JobSpends>()
  const ids = jobs.map(id => id.toLowerCase()).join(',')
  const isThere = platform.spend_permissions_address !== null && payer !== null && ids !== ''
  useEffect(() => {
    if (!isThere) return undefined
    let isGone = false
    const read = async (): Promise<void> => {
      const all = ids.split(',')
      const found = new Map<string, SpendLine[]>()
      for (let at = 0; at < all.length; at += MOST_JOBS) {
        const asked = all.slice(at, at + MOST_JOBS).join(',')
        const answer = await ask(`/v1/limits/${payer}/spends?job_ids=${asked}`, answers.walletSpends)
        for (const one of answer.spends) {
          const id = one.job_id?.toLowerCase() ?? ''
          found.set(id, [...(found.get(id) ?? []), one])
        }
      }
      if (!isGone) setSpends(found)
    }
    const timers = READ_AFTER_MS.map(ms => setTimeout(() => void read().catch(() => undefined), ms))
    return () => {
      isGone = true
      for (const timer of timers) clearTimeout(timer)
    }
  }, [ask, payer, ids, isThere])
  return isThere ? spends : undefined
}

/** What spends come to, in atomic units. */
export function sumSpends(spends: readonly SpendLine[]): bigint {
  return spends.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}
