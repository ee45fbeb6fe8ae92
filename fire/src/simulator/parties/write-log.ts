import type { World } from '../build-world.ts'

/**
 * Makes the log of what a store or ledger in memory was told, each write with what repeats it on a copy; `who` is its name in
 * the trace. The copies' clock must show {@link nowMs}.
 */
export function createWriteLog<Store>(who: string, { time, trace }: World['wires']) {
  let replayMs: number | undefined
  let writes: { readonly atMs: number; readonly repeat: (copy: Store) => Promise<unknown>; of: string }[] = []
  return {
    nowMs: (): number => replayMs ?? time.nowMs(),
    /** Notes a write, and the key it is of. */
    add(of: string, repeat: (copy: Store) => Promise<unknown>): void {
      writes.push({ atMs: time.nowMs(), repeat, of })
    },
    /** Repeats on an empty copy all but the writes of so long; resolves to the keys of those it lacks. */
    async failOver(copy: Store, lostMs: number): Promise<readonly string[]> {
      const untilMs = time.nowMs() - lostMs
      const kept = writes.filter(({ atMs }) => atMs <= untilMs)
      const lost = writes.slice(kept.length)
      trace.note(who, () => `loses its last ${lost.length} writes`)
      writes = kept
      // A method of a store in memory has done its deed when it returns its promise: nothing comes in between.
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
