import type { Random } from '../../simulator/seeded-random.ts'
import { auditStorm, type Audit } from '../audit/audit-storm.ts'
import { watchChain } from '../audit/watch-chain.ts'
import type { StormOrder } from '../event-log.ts'
import type { StormRun } from '../storm-run.ts'
import { runLoad } from './run-load.ts'

/** What was ordered meanwhile, and the audit of it. */
export interface Judged {
  readonly orders: readonly StormOrder[]
  readonly audit: Audit
}

/**
 * Keeps a load of paid jobs up while something is done to the stage; then lets every caller come to its end, waits until
 * all is settled, and judges what was ordered meanwhile.
 */
export async function underLoad(
  { stage, size, signal }: StormRun,
  load: { readonly random: Random; readonly pauseMs: number; readonly onSettling: () => void },
  trouble: () => Promise<void>,
): Promise<Judged> {
  const { eventLog } = stage
  const before = new Set(eventLog.orders.keys())
  const watch = watchChain(stage)
  const enough = new AbortController()
  const running = runLoad(stage, { ...load, callers: size.callers, enough: enough.signal, signal })
  try {
    await trouble()
  } finally {
    enough.abort()
    load.onSettling()
    await running
    await watch.stop()
  }
  const orders = [...eventLog.orders.values()].filter(({ jobId }) => !before.has(jobId))
  const audit = await auditStorm(stage, orders, { seenMs: watch.seenMs, settleMs: size.settleMs, signal })
  return { orders, audit }
}
