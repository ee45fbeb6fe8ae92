import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { forwardLines } from './forward-lines.ts'

async function forwarded(...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const stream = new PassThrough()
  const written: string[] = []
  forwardLines(stream, lines => written.push(lines))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await once(stream, 'close')
  return written
}

test('a line is written when it is complete, and several lines at once', async () => {
  expect(await forwarded('a', 'b\nc', '\nd\ne\n')).toEqual(['ab\n', 'c\nd\ne\n'])
})

test('an incomplete line is written when the process ends', async () => {
  expect(await forwarded('a\nrest')).toEqual(['a\n', 'rest\n'])
})

test('a character that arrives in two parts is joined', async () => {
  const snow = Buffer.from('☃\n')
  expect(await forwarded(snow.subarray(0, 1), snow.subarray(1))).toEqual(['☃\n'])
})

test('an endless line is split', async () => {
  const written = await forwarded(...Array<string>(10).fill('x'.repeat(10_000)))
  expect(written.length).toBeGreaterThan(1)
  expect(written.join('').replaceAll('\n', '')).toHaveLength(100_000)
})
