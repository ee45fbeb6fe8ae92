/** The disk space reserved for jobs that are already held: their saved responses, renewals and releases. */
const LEAST_FREE_BYTES = 8 * 1_024 * 1_024

/** Rare enough to cost nothing, and frequent enough that the disk cannot fill up in between. */
const LOOK_EVERY_MS = 20

/** The size of a disk and its free space, in blocks of `bsize` bytes. */
export interface DiskSpace {
  readonly blocks: number
  readonly bavail: number
  readonly bsize: number
}

/**
 * Makes a function that throws when the disk of a folder is nearly full according to `spaceOf`.
 *
 * A claim must not fail on a full disk itself: when a synchronous transaction of lmdb fails for lack of space, its
 * message may exceed its buffer (`mdb_page_flush` in lmdb 3.5.6), and a few such failures crash the process.
 */
export function createDiskRoom(folder: string, spaceOf: (folder: string) => DiskSpace): () => void {
  let lookedMs = Number.NEGATIVE_INFINITY
  let isThere = true
  return () => {
    const nowMs = performance.now()
    if (nowMs - lookedMs >= LOOK_EVERY_MS) {
      const { blocks, bavail, bsize } = spaceOf(folder)
      // Some file systems do not report their size.
      isThere = blocks === 0 || bavail * bsize >= LEAST_FREE_BYTES
      lookedMs = nowMs
    }
    if (!isThere) throw new Error(`its disk has less than ${LEAST_FREE_BYTES} bytes left`)
  }
}
