/** Ignores errors of the output streams: a reader that has closed its end must not end unfinished jobs. */
export function outliveReaders(): void {
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}
