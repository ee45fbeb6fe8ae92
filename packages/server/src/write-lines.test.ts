import { expect, test } from 'vitest'
import { createLineWriter } from './write-lines.ts'

test('lines of one turn are written together and in order, those of the next after them', async () => {
  const written: string[] = []
  const write = createLineWriter(text => void written.push(text))
  write('one')
  write('two')
  expect(written).toEqual([])
  await new Promise(resolve => setImmediate(resolve))
  write('three')
  await new Promise(resolve => setImmediate(resolve))
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
})

test('lines waiting when the process exits are not lost', () => {
  const written: string[] = []
  const before = process.listeners('exit')
  const write = createLineWriter(text => void written.push(text))
  const added = process.listeners('exit').filter(listener => !before.includes(listener))
  write('the last words')
  for (const listener of added) listener.call(process, 0)
  expect(written).toEqual(['the last words\n'])
})
