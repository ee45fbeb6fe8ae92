import type { SpendLine } from '@farebox/platform-api/limits/wallet-limits'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { answers } from '../site/answers.ts'
import { useRead } from '../site/question.ts'
import { useSite } from '../site/site.ts'

/** The transfers that agents made for jobs, by lower-case job id. */
export type JobSpends = ReadonlyMap<string, readonly SpendLine[]>

/** The most jobs that one request names. */
const MOST_JOBS = 50
/** How long to wait before each request. The platform reads the chain shortly after a job has ended. */
const READ_AFTER_MS = [0, 2_000, 4_000]

/**
 * The transfers of a payer's tokens that agents made for jobs, by lower-case job id. Undefined until they have been read.
 *
 * @param jobs jobs that have ended, which therefore make no further transfers
 */
export function useJobSpends(payer: string | null, jobs: readonly string[]): JobSpends | undefined {
  const { ask, platform } = useSite()
  const ids = jobs.map(id => id.toLowerCase()).join(',')
  const isThere = platform.spend_permissions_address !== null && payer !== null && ids !== ''
  const read = async (signal: AbortSignal): Promise<JobSpends> => {
    const all = ids.split(',')
    const found = new Map<string, SpendLine[]>()
    for (let at = 0; at < all.length; at += MOST_JOBS) {
      const path = `/v1/limits/${payer}/spends?job_ids=${all.slice(at, at + MOST_JOBS).join(',')}`
      for (const one of (await ask(path, answers.walletSpends, { signal })).spends) {
        const id = one.job_id?.toLowerCase() ?? ''
        found.set(id, [...(found.get(id) ?? []), one])
      }
    }
    return found
  }
  const { answer } = useRead<JobSpends>(
    isThere ? `${payer} ${ids}` : undefined,
    async (signal, give) => {
      for (const ms of READ_AFTER_MS) {
        await sleep(systemClock, ms, signal)
        signal.throwIfAborted()
        await read(signal).then(give, () => undefined)
      }
      return undefined
    },
    { keeps: true },
  )
  return isThere ? answer : undefined
}

/** The sum of transfers, in atomic units. */
export function sumSpends(spends: readonly SpendLine[]): bigint {
  return spends.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}
