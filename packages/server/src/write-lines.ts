/**
 * Writes the lines of one turn of the event loop together: under load each would cost more to write than to make.
 *
 * What is waiting when the process exits is written then; only `kill -9` can lose a turn's lines.
 *
 * @param write - writes text at once, as `process.stdout` does for a file or a pipe
 * @returns takes a line without its end
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
