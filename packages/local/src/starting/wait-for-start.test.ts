import { expect, test } from 'vitest'
import {
  askUntilStarted,
  START_LIMIT_MS,
  StartLimitError,
  waitForStart,
  type Timer,
} from './wait-for-start.ts'

/** A timer whose time passes when the test advances it. */
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

test('a start is awaited for five minutes, and its signal aborts then', async () => {
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

test('neither a successful nor a failed start leaves a timer behind', async () => {
  const { timer, isSet } = testTimer()
  expect(await waitForStart(() => Promise.resolve('url'), { timer })).toBe('url')
  expect(isSet()).toBe(false)
  await expect(waitForStart(() => Promise.reject(new Error('ended')), { timer })).rejects.toThrow('ended')
  expect(isSet()).toBe(false)
})

test('a cancelled start rejects with the reason', async () => {
  const stop = new AbortController()
  const waiting = waitForStart(never, { signal: stop.signal })
  stop.abort(new Error('stopped while starting'))
  await expect(waiting).rejects.toThrow('stopped while starting')
  await expect(waitForStart(never, { signal: stop.signal })).rejects.toThrow('stopped while starting')
})

test('a part without notifications is polled until it answers or reports that it never will', async () => {
  const answers = [undefined, undefined, 'listed']
  expect(await askUntilStarted(() => Promise.resolve(answers.shift()), { everyMs: 0 })).toBe('listed')
  const refused = askUntilStarted(() => Promise.reject(new Error('refused')), { everyMs: 0 })
  await expect(refused).rejects.toThrow('refused')
})

test('polling stops when the wait is over', async () => {
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
