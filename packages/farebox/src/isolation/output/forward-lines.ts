import type { Readable } from 'node:stream'
import { splitForPipe } from './split-for-pipe.ts'

/** A longer line is split, so that output without a line break is not collected forever. */
const MAX_LINE_CHARACTERS = 65_536

/** Forwards a process's output in whole lines, so that lines of several processes are never mixed. */
export function forwardLines(stream: Readable, write: (lines: string) => void): void {
  let begun = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) {
      splitForPipe(begun + text.slice(0, end)).forEach(write)
      begun = ''
    }
    begun += text.slice(end)
    if (begun.length > MAX_LINE_CHARACTERS) endLine()
  })
  stream.on('close', endLine)
  stream.on('error', () => undefined)

  function endLine(): void {
    if (begun !== '') write(`${begun}\n`)
    begun = ''
  }
}
