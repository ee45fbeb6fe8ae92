import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitForPipe } from './split-for-pipe.ts'

test('the pieces fit a pipe, have whole lines, and contain all text', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 900 }).map(text => `${text.replaceAll('\n', ' ')}\n`)
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), lines => {
      const pieces = splitForPipe(lines.join(''))
      expect(pieces.join('')).toBe(lines.join(''))
      for (const piece of pieces) {
        expect(piece.endsWith('\n')).toBe(true)
        const isOneLine = piece.indexOf('\n') === piece.length - 1
        expect(isOneLine || Buffer.byteLength(piece) <= 4_096).toBe(true)
      }
    }),
  )
})
