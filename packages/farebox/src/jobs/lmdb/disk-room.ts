/** Left to who holds a job already: its saved response, its renewals and its end. */
const LEAST_FREE_BYTES = 8 * 1_024 * 1_024

/** Seldom enough to cost nothing, and too often for a disk to fill up between. */
const LOOK_EVERY_MS = 20

/** The room on a disk, in blocks of `bsize` bytes: all of them, and those that are left. */
export interface DiskSpace {
  readonly blocks: number
  readonly bavail: number
  readonly bsize: number
}

/**
 * Makes a function that throws where the disk of a folder is nearly full, as `spaceOf` says.
 *
 * A claim must not find that out by itself: where a synchronous transaction of lmdb fails for want of room, its message may
 * be longer than the memory it is put into (`mdb_page_flush` in lmdb 3.5.6), and a few of them end the process.
 */
export function createDiskRoom(folder: string, spaceOf: (folder: string) => DiskSpace): () => void {
  let lookedMs = Number.NEGATIVE_INFINITY
  let isThere = true
  return () => {
    const nowMs = performance.now()
    if (nowMs - lookedMs >= LOOK_EVERY_MS) {
      const { blocks, bavail, bsize } = spaceOf(folder)
      // Some file systems do not say.
      isThere = blocks === 0 || bavail * bsize >= LEAST_FREE_BYTES
      lookedMs = nowMs
    }
    if (!isThere) throw new Error(`its disk has less than ${LEAST_FREE_BYTES} bytes left`)
  }
}
