import { describeError } from '@farebox/server/log'
import type { Background, PlatformParts } from '../platform-parts.ts'
import { recountJobs } from './recount-jobs.ts'

const RECOUNT_EVERY_MS = 60_000

/** Keeps the number of paid jobs in search up to date. Any number of processes do the same on one database. */
export function startSearch({ database, clock, log }: PlatformParts): Background {
  const ending = new AbortController()
  const { signal } = ending
  const running = repeat()
  return {
    async stop() {
      ending.abort()
      await running
    },
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && (await recountJobs(database, clock.nowMs())) > 0);
      } catch (error) {
        log.error('paid jobs not counted for search', { error: describeError(error) })
      }
      await clock.sleep(RECOUNT_EVERY_MS, signal)
    }
  }
}
