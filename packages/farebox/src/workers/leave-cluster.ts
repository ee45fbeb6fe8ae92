import cluster from 'node:cluster'
import { within } from '@farebox/protocol/internal/time/within'
import { systemClock } from '@farebox/protocol/time/clock'

/** The supervisor may hang, and its workers must end nevertheless. */
const TIMEOUT_MS = 2_000

/**
 * Ends a worker's part in the cluster, after its server is closed and before its process ends. Connections that were
 * handed to it meanwhile go back to the supervisor, and to another worker: if the process ended at once, they would not
 * be taken back, and their callers would wait until the last worker has ended.
 *
 * Resolves when no more connections can arrive, or when the supervisor does not confirm that in time.
 */
export async function leaveCluster(): Promise<void> {
  const { worker } = cluster
  if (worker === undefined || !worker.isConnected()) return
  const left = new Promise<void>(resolve => process.once('disconnect', () => resolve()))
  // Waits for the supervisor's confirmation, which comes after every connection that it had already handed over.
  worker.disconnect()
  await within(systemClock, TIMEOUT_MS, left)
}
