import { commentText, MAX_COLUMNS } from './source-text.ts'

/**
 * A comment above a declaration, its end of line included: on one line where it fits, wrapped where not, nothing
 * where there is nothing to say. Each sentence gets its full stop.
 *
 * @param sentences in order; empty ones are left out
 */
export function docComment(sentences: readonly string[], indent: string): string {
  const text = sentences
    .map(asSentence)
    .filter(sentence => sentence !== '')
    .join(' ')
  if (text === '') return ''
  const line = `${indent}/** ${withoutTag(text)} */`
  if (line.length <= MAX_COLUMNS) return `${line}\n`
  const lines = wrap(text, MAX_COLUMNS - indent.length - 3).map(withoutTag)
  return `${[`${indent}/**`, ...lines.map(one => `${indent} * ${one}`), `${indent} */`].join('\n')}\n`
}

function asSentence(text: string): string {
  const clean = commentText(text)
  return clean === '' || /[.!?:;…。！？]$/u.test(clean) ? clean : `${clean}.`
}

function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** At the start of a line an `@` begins a tag, or a directive to the compiler. */
function withoutTag(line: string): string {
  return line.replace(/^@/, String.raw`\@`)
}
