import { expect, test } from 'vitest'
import {
  askUntilStarted,
  START_LIMIT_MS,
  StartLimitError,
  waitForStart,
  type Timer,
} from './wait-for-start.ts'

/** Time that passes when a test says so. */
function testTimer(): { readonly timer: Timer; readonly delays: number[]; pass(): void; isSet(): boolean } {
  const delays: number[] = []
  let due: (() => void) | undefined
  return {
    delays,
    timer(delayMs, callback) {
      delays.push(delayMs)
      due = callback
      return () => {
        due = undefined
      }
    },
    pass: () => due?.(),
    isSet: () => due !== undefined,
  }
}

const never = async (): Promise<never> => await new Promise(() => undefined)

test('what starts is waited for five minutes, and its wait is over then', async () => {
  const { timer, delays, pass } = testTimer()
  let over: AbortSignal | undefined
  const waiting = waitForStart(
    async signal => {
      over = signal
      return await never()
    },
    { timer },
  )
  expect(delays).toEqual([START_LIMIT_MS])
  pass()
  await expect(waiting).rejects.toThrow(StartLimitError)
  await expect(waiting).rejects.toThrow('it was not ready after 5 minutes')
  expect(over?.aborted).toBe(true)
})

test('what has started leaves no timer behind, nor what cannot start', async () => {
  const { timer, isSet } = testTimer()
  expect(await waitForStart(() => Promise.resolve('url'), { timer })).toBe('url')
  expect(isSet()).toBe(false)
  await expect(waitForStart(() => Promise.reject(new Error('ended')), { timer })).rejects.toThrow('ended')
  expect(isSet()).toBe(false)
})

test('a start that is given up rejects with the reason', async () => {
  const stop = new AbortController()
  const waiting = waitForStart(never, { signal: stop.signal })
  stop.abort(new Error('stopped while starting'))
  await expect(waiting).rejects.toThrow('stopped while starting')
  await expect(waitForStart(never, { signal: stop.signal })).rejects.toThrow('stopped while starting')
})

test('what sends no notification is asked until it answers, or says that it never will', async () => {
  const answers = [undefined, undefined, 'listed']
  expect(await askUntilStarted(() => Promise.resolve(answers.shift()), { everyMs: 0 })).toBe('listed')
  const refused = askUntilStarted(() => Promise.reject(new Error('refused')), { everyMs: 0 })
  await expect(refused).rejects.toThrow('refused')
})

test('a wait that is over asks no more', async () => {
  const { timer, pass } = testTimer()
  let asked = 0
  const waiting = askUntilStarted(
    () => {
      asked += 1
      if (asked === 3) pass()
      return Promise.resolve(undefined)
    },
    { timer, everyMs: 0 },
  )
  await expect(waiting).rejects.toThrow(StartLimitError)
  await new Promise(resolve => setImmediate(resolve))
  expect(asked).toBe(3)
})
