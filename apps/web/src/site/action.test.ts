import { expect, test, vi } from 'vitest'
import { createAction } from './action.ts'

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const explain = (error: unknown): string => `It failed: ${error instanceof Error ? error.message : ''}.`

test('an action is busy until its work is done, and the work on its result runs afterwards', async () => {
  const action = createAction()
  action.open(() => undefined)
  const seen: string[] = []
  action.start(async () => () => void seen.push(action.get().state), explain)
  expect(action.get()).toEqual({ state: 'busy' })
  await settled()
  expect([action.get(), seen]).toEqual([{ state: 'idle' }, ['idle']])
})

test('a second start while the action is busy does nothing', async () => {
  const action = createAction()
  action.open(() => undefined)
  const run = vi.fn(async () => undefined)
  action.start(run, explain)
  action.start(run, explain)
  await settled()
  action.start(run, explain)
  await settled()
  expect(run).toHaveBeenCalledTimes(2)
})

test('a failure is a sentence, until it is cleared or the action starts again', async () => {
  const action = createAction()
  const changed = vi.fn<() => void>()
  action.open(changed)
  const error = new Error('no')
  const fail = (): Promise<undefined> => Promise.reject(error)
  action.start(fail, explain)
  await settled()
  expect(action.get()).toEqual({ state: 'failed', sentence: 'It failed: no.', error })
  action.forget()
  expect(action.get()).toEqual({ state: 'idle' })
  expect(changed).toHaveBeenCalledTimes(3)
})

test('when the component unmounts, the signal aborts, and results and failures are dropped', async () => {
  for (const end of ['done', 'failed']) {
    const action = createAction()
    const close = action.open(() => undefined)
    const done = vi.fn<() => void>()
    let left: AbortSignal | undefined
    action.start(async signal => {
      left = signal
      await settled()
      if (end === 'failed') throw new Error('late')
      return done
    }, explain)
    close()
    expect(left?.aborted).toBe(true)
    await settled()
    await settled()
    expect([done.mock.calls.length, action.get()]).toEqual([0, { state: 'idle' }])
    action.start(async () => done, explain)
    expect(action.get()).toEqual({ state: 'idle' })
  }
})
