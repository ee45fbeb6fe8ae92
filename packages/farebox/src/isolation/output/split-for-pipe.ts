/** The size up to which POSIX writes to a pipe atomically, so that lines of several processes are not mixed. */
const PIPE_BUF_BYTES = 4_096

/** Splits lines into pieces that are written atomically. A line longer than a piece is not split. */
export function splitForPipe(lines: string): readonly string[] {
  if (lines.length * 3 <= PIPE_BUF_BYTES || Buffer.byteLength(lines) <= PIPE_BUF_BYTES) return [lines]
  const pieces: string[] = []
  let piece = ''
  for (const line of lines.split(/(?<=\n)/)) {
    if (piece !== '' && Buffer.byteLength(piece + line) > PIPE_BUF_BYTES) {
      pieces.push(piece)
      piece = ''
    }
    piece += line
  }
  return piece === '' ? pieces : [...pieces, piece]
}
