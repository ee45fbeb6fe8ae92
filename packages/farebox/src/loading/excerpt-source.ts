import { readFile } from 'node:fs/promises'
import { shownText, textWidth } from '../config/shown-text.ts'
import { createTextPlaces } from '../config/text-places.ts'

/**
 * A line of a source file with a caret below the place; line and column are from 1. Empty when the file has no such
 * line.
 */
export async function excerptSource(file: string, line: number, column: number): Promise<readonly string[]> {
  const source = await readFile(file, 'utf8').catch(() => '')
  const lines = source.split('\n')
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
  if ((lines[line - 1] ?? '').trim() === '') return []
  const offset = start + column - 1
  const { before, after } = createTextPlaces(source)(offset, offset).excerpt
  const gutter = ' '.repeat(String(line).length)
  return [
    `${line} │ ${shownText(before + after)}`,
    `${gutter} │ ${' '.repeat(textWidth(shownText(before)))}^`,
  ]
}
