import { openBrowserDatabase, notifyChange, watchChanges } from './database.ts'
import type { KeptRun } from './kept-run.ts'

const MOST_LISTED = 200

/** Stores a run, so that it outlives the page. Resolves once the run would survive a crash of the browser. */
export async function keepRun(run: KeptRun): Promise<void> {
  const database = await openBrowserDatabase()
  const writing = database.transaction('runs', 'readwrite', { durability: 'strict' })
  await writing.store.put(run)
  await writing.done
  notifyChange('runs', run.run_id)
}

/**
 * Updates a run of this browser.
 *
 * @param change receives the stored run and returns the changed properties
 */
export async function updateRun(
  runId: string,
  change: (run: KeptRun) => Partial<KeptRun>,
): Promise<KeptRun | undefined> {
  const database = await openBrowserDatabase()
  const writing = database.transaction('runs', 'readwrite', { durability: 'strict' })
  const run = await writing.store.get(runId)
  if (run === undefined) return undefined
  const changed = { ...run, ...change(run) }
  await writing.store.put(changed)
  await writing.done
  notifyChange('runs', runId)
  return changed
}

/** A run of this browser; undefined when there is none with that id. */
export async function readKeptRun(runId: string): Promise<KeptRun | undefined> {
  return await (await openBrowserDatabase()).get('runs', runId)
}

/** The newest runs of this browser. */
export async function listRuns(most = MOST_LISTED): Promise<readonly KeptRun[]> {
  const database = await openBrowserDatabase()
  const runs: KeptRun[] = []
  let cursor = await database.transaction('runs').store.index('by-time').openCursor(null, 'prev')
  while (cursor !== null && runs.length < most) {
    runs.push(cursor.value)
    cursor = await cursor.continue()
  }
  return runs
}

/** Reports the runs that change in this tab or another. Returns a function that stops it. */
export function watchRuns(report: (runId: string) => void): () => void {
  return watchChanges('runs', report)
}

/** Deletes a run that was never started. */
export async function removeRun(runId: string): Promise<void> {
  await (await openBrowserDatabase()).delete('runs', runId)
  notifyChange('runs', runId)
}
