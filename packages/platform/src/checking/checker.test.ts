import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, expect, test } from 'vitest'
import { CheckFailed, createChecker, type Checker } from './checker.ts'

let checker: Checker | undefined
afterEach(() => checker?.close())

/** A schema with a pattern, which is always checked in a thread. */
const TEXT_FIELD = JSON.stringify({ text: { type: 'string', required: true, pattern: '^a' } })

test('a check runs in a thread and returns the verdict of the protocol', async () => {
  checker = createChecker({ clock: systemClock })
  expect(await checker.run('about', '{', 'https://agent.example')).toEqual({
    ok: false,
    reason: 'is not JSON',
  })
  expect(await checker.run('input', { fields: TEXT_FIELD, input: { text: 'a' } }, 'agent 1')).toBeUndefined()
  expect(await checker.run('input', { fields: TEXT_FIELD, input: {} }, 'agent 1')).toEqual({
    field: 'text',
    reason: 'is required',
  })
})

test('a check with a schema that cannot be compiled fails, also when it is small', async () => {
  checker = createChecker({ clock: systemClock })
  const fields = JSON.stringify({ text: { type: 'string', format: 'of another time' } })
  await expect(checker.run('output', { fields, output: { text: 'a' } }, 'agent 1')).rejects.toThrow(
    CheckFailed,
  )
})

test('checks of one owner wait for each other, and another owner gets the next turn', async () => {
  checker = createChecker({ clock: systemClock, threads: 1 })
  const done: string[] = []
  const ordered = ['slow 1', 'slow 2', 'slow 3', 'other'].map(async name => {
    const owner = name.split(' ')[0] ?? ''
    await checker?.run('input', { fields: TEXT_FIELD, input: { text: 'a' } }, owner)
    done.push(name)
  })
  await Promise.all(ordered)
  expect(done).toEqual(['slow 1', 'slow 2', 'other', 'slow 3'])
})

test('a check that takes too long is ended, and the next one gets a new thread', async () => {
  let limitMs = 0
  const clock = {
    ...systemClock,
    after: (_: number, callback: () => void) => systemClock.after(limitMs, callback),
  }
  checker = createChecker({ clock, threads: 1 })
  const given = { fields: TEXT_FIELD, input: { text: 'a' } }
  await expect(checker.run('input', given, 'agent 1')).rejects.toThrow(CheckFailed)
  limitMs = 60_000
  expect(await checker.run('input', given, 'agent 1')).toBeUndefined()
})

test('checks beyond the length of the queue are refused at once', async () => {
  const full = (checker = createChecker({ clock: systemClock, threads: 1 }))
  const given = { fields: TEXT_FIELD, input: { text: 'a' } }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 89 }, () => full.run('input', given, 'agent 1')),
  )
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3)
})
