import { openDatabase, tellChange, watchChanges } from './database.ts'
import type { KeptRun } from './kept-run.ts'

const MOST_LISTED = 200

/** Writes a run, so that it outlives the page. Resolves when it is kept. */
export async function keepRun(run: KeptRun): Promise<void> {
  const database = await openDatabase()
  const writing = database.transaction('runs', 'readwrite', { durability: 'strict' })
  await writing.store.put(run)
  await writing.done
  tellChange('runs', run.run_id)
}

/**
 * Changes what is known of a run that is kept.
 *
 * @param change what changes, of the run as it is kept by then
 */
export async function updateRun(
  runId: string,
  change: (run: KeptRun) => Partial<KeptRun>,
): Promise<KeptRun | undefined> {
  const database = await openDatabase()
  const writing = database.transaction('runs', 'readwrite', { durability: 'strict' })
  const run = await writing.store.get(runId)
  if (run === undefined) return undefined
  const changed = { ...run, ...change(run) }
  await writing.store.put(changed)
  await writing.done
  tellChange('runs', runId)
  return changed
}

/** A run of this browser; undefined: it has none of that id. */
export async function readRun(runId: string): Promise<KeptRun | undefined> {
  return await (await openDatabase()).get('runs', runId)
}

/** The newest runs of this browser. */
export async function listRuns(most = MOST_LISTED): Promise<readonly KeptRun[]> {
  const database = await openDatabase()
  const runs: KeptRun[] = []
  let cursor = await database.transaction('runs').store.index('by-time').openCursor(null, 'prev')
  while (cursor !== null && runs.length < most) {
    runs.push(cursor.value)
    cursor = await cursor.continue()
  }
  return runs
}

/** Tells of runs that change, in this tab or in another; resolves to what ends it. */
export function watchRuns(tell: (runId: string) => void): () => void {
  return watchChanges('runs', tell)
}

/** Forgets a run that never began. */
export async function removeRun(runId: string): Promise<void> {
  await (await openDatabase()).delete('runs', runId)
  tellChange('runs', runId)
}
