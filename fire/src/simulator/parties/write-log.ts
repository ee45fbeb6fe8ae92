import type { World } from '../build-world.ts'

/**
 * Creates the log of writes to an in-memory store or ledger, each with a function that replays it on a copy; `who` is
 * its name in the trace. The copies' clock must show {@link nowMs}.
 */
export function createWriteLog<Store>(who: string, { time, trace }: World['wires']) {
  let replayMs: number | undefined
  let writes: { readonly atMs: number; readonly repeat: (copy: Store) => Promise<unknown>; of: string }[] = []
  return {
    nowMs: (): number => replayMs ?? time.nowMs(),
    /** Records a write, and its key. */
    add(of: string, repeat: (copy: Store) => Promise<unknown>): void {
      writes.push({ atMs: time.nowMs(), repeat, of })
    },
    /** Replays all writes on an empty copy except those of this period; resolves to the keys of the missing ones. */
    async failOver(copy: Store, lostMs: number): Promise<readonly string[]> {
      const untilMs = time.nowMs() - lostMs
      const kept = writes.filter(({ atMs }) => atMs <= untilMs)
      const lost = writes.slice(kept.length)
      trace.note(who, () => `loses its last ${lost.length} writes`)
      writes = kept
      // A method of an in-memory store is executed when it returns its promise: nothing comes in between.
      const repeated = kept.map(({ atMs, repeat }) => {
        replayMs = atMs
        return repeat(copy)
      })
      replayMs = undefined
      await Promise.all(repeated)
      return lost.map(({ of }) => of)
    },
  }
}
