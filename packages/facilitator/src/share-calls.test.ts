import { expect, test } from 'vitest'
import { shareCalls } from './share-calls.ts'

test('a call with the same argument shares the one in progress; a later one starts a new call', async () => {
  const asked: string[] = []
  const ask = shareCalls(async (question: string) => {
    asked.push(question)
    return await Promise.resolve(`${question} ${asked.length}`)
  })
  expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual(['a 1', 'a 1', 'b 2'])
  expect(await ask('a')).toBe('a 3')
})

test('a failed call fails for all that share it, and the next one starts a new call', async () => {
  let failures = 0
  const ask = shareCalls(async () => {
    failures += 1
    if (failures === 1) throw new Error('no answer')
    return await Promise.resolve('answer')
  })
  expect(await Promise.allSettled([ask(1), ask(1)])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  expect(await ask(1)).toBe('answer')
})
