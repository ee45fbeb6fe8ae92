import cluster from 'node:cluster'
import { within } from '@farebox/protocol/internal/time/within'
import { systemClock } from '@farebox/protocol/time/clock'

/** The one that watches over us may hang, and its workers are to end all the same. */
const TIMEOUT_MS = 2_000

/**
 * Ends a worker's part in the cluster, once its server is closed and before its process ends. Connections that were
 * handed to it meanwhile go back, and to another worker: of a process that just ended nobody would take them back, and
 * their callers would wait until the last worker is gone.
 *
 * Resolves when none can come any more, or where nobody says so in time.
 */
export async function leaveCluster(): Promise<void> {
  const { worker } = cluster
  if (worker === undefined || !worker.isConnected()) return
  const left = new Promise<void>(resolve => process.once('disconnect', () => resolve()))
  // Waits for the supervisor's word, which comes after all that it handed over before it knew.
  worker.disconnect()
  await within(systemClock, TIMEOUT_MS, left)
}
