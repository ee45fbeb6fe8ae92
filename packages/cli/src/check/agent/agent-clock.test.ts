import { expect, test } from 'vitest'
import { clockAheadOf, toldTime } from './reach-agent.ts'

const NOW = Date.UTC(2027, 0, 1)
const answer = (date: string | undefined, tookMs = 100) =>
  toldTime(new Headers(date === undefined ? {} : { date }), NOW, NOW + tookMs)
const at = (ms: number): string => new Date(ms).toUTCString()

test('the clock of an agent five minutes ahead is measured by two of its answers', () => {
  const told = answer(at(NOW + 300_000))
  expect(told === undefined ? [] : [clockAheadOf([told]), clockAheadOf([told, told])]).toEqual([0, -299.9])
})

test('an answer slow enough to explain the difference proves nothing', () => {
  const told = answer(at(NOW + 20_000), 30_000)
  expect(told && clockAheadOf([told, told])).toBe(0)
})

test.each([undefined, 'yesterday'])('a Date of %s proves nothing', date => {
  expect(answer(date)).toBeUndefined()
})
