import { expect, test } from 'vitest'
import type { Clock } from './clock.ts'
import { repeat } from './repeat.ts'

const unexpected = (): never => expect.unreachable('nothing failed')

/** A clock whose sleeps end at once; it records their lengths. */
function quickClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = []
  return {
    slept,
    nowMs: () => 0,
    after(ms, callback) {
      slept.push(ms)
      queueMicrotask(callback)
      return () => undefined
    },
  }
}

test('work runs at once and after each pause, and does not start again after the abort', async () => {
  const clock = quickClock()
  const ending = new AbortController()
  let passes = 0
  await repeat(clock, { everyMs: 250, signal: ending.signal, onFailure: unexpected }, async () => {
    passes += 1
    if (passes === 3) ending.abort()
    await Promise.resolve()
  })
  expect(passes).toBe(3)
  expect(clock.slept).toEqual([250, 250])
})

test('a pass that rejects, or throws at once, is reported and followed by the next', async () => {
  const ending = new AbortController()
  const failures: unknown[] = []
  const onFailure = (error: unknown): void => void failures.push(error)
  let passes = 0
  await repeat(quickClock(), { everyMs: 1, signal: ending.signal, onFailure }, () => {
    passes += 1
    if (passes === 1) throw new Error('at once')
    if (passes === 3) ending.abort()
    return Promise.reject(new Error(`pass ${passes}`))
  })
  expect(failures).toEqual([new Error('at once'), new Error('pass 2'), new Error('pass 3')])
})

test('nothing starts after the abort', async () => {
  const signal = AbortSignal.abort()
  await repeat(quickClock(), { everyMs: 1, signal, onFailure: unexpected }, unexpected)
})
