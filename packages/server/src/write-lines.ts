/**
 * Writes the lines of one turn of the event loop together: under load, writing each line separately would cost more than
 * creating it.
 *
 * Lines that are waiting when the process exits are written then; only `kill -9` can lose the lines of a turn.
 *
 * @param write - writes text synchronously, as `process.stdout` does for a file or a pipe
 * @returns writes a line, given without its line break
 */
export function createLineWriter(write: (text: string) => void): (line: string) => void {
  let waiting = ''
  const flush = (): void => {
    const text = waiting
    waiting = ''
    if (text !== '') write(text)
  }
  process.once('exit', flush)
  return line => {
    if (waiting === '') setImmediate(flush)
    waiting += `${line}\n`
  }
}
