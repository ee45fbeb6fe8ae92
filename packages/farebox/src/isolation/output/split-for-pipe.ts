/** What POSIX lets several processes write to one pipe without a line of one landing within a line of another. */
const PIPE_BUF_BYTES = 4_096

/** Lines in pieces that are written whole. A line longer than a piece stays one. */
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
