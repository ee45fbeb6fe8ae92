/** The reader of our output may be gone; that is no reason to leave jobs unfinished. */
export function outliveReaders(): void {
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}
