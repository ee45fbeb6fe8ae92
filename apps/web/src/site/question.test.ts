import { expect, test, vi } from 'vitest'
import { createQuestion, type Read } from './question.ts'

/** A read function whose answers the test provides, one request after another. */
function heldRead() {
  const asked: {
    readonly signal: AbortSignal
    readonly give: (answer: string) => void
    readonly answer: (answer: string | undefined) => void
    readonly fail: (error: Error) => void
  }[] = []
  const read: Read<string> = (signal, give) =>
    new Promise((resolve, reject) => asked.push({ signal, give, answer: resolve, fail: reject }))
  return { read, asked }
}

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('a request is sent while there is a listener, and its answer is reported', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  const changed = vi.fn<() => void>()
  expect(asked).toEqual([])
  question.open('a', read, changed)
  expect(question.get('a')).toEqual({ state: 'asking' })
  asked[0]?.answer('one')
  await settled()
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'one' })
  expect(changed).toHaveBeenCalledOnce()
})

test('another key aborts the previous request, whose late answer is dropped', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  const close = question.open('a', read, () => undefined)
  expect(question.get('b')).toEqual({ state: 'asking' })
  close()
  question.open('b', read, () => undefined)
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
  asked[1]?.answer('of b')
  asked[0]?.answer('of a')
  await settled()
  expect(question.get('b')).toEqual({ state: 'answer', answer: 'of b' })
})

test('a new key does not show the answer of the previous key, unless `keeps` is set', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  const close = question.open('a', read, () => undefined)
  asked[0]?.answer('of a')
  await settled()
  expect(question.get('b')).toEqual({ state: 'asking' })
  expect(question.get('b', true)).toEqual({ state: 'answer', answer: 'of a' })
  close()
  const closeKept = question.open('b', read, () => undefined, { keeps: true })
  expect(question.get('b', true)).toEqual({ state: 'answer', answer: 'of a', isWaiting: true })
  closeKept()
  question.open('c', read, () => undefined)
  expect(question.get('c')).toEqual({ state: 'asking' })
})

test('a failure is a separate state; a retry is asking again, and an existing answer stays', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  question.open('a', read, () => undefined)
  const failure = new Error('no')
  asked[0]?.fail(failure)
  await settled()
  expect(question.get('a')).toEqual({ state: 'failed', failure })
  const again = question.again()
  expect(question.get('a')).toEqual({ state: 'asking' })
  asked[1]?.answer('one')
  expect(await again).toBe('one')
  const last = question.again()
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'one', isWaiting: true })
  asked[2]?.fail(failure)
  expect(await last).toBeUndefined()
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'one', isWaiting: false, failure })
})

test('no further page is requested of an answer that is about to be replaced', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  const close = question.open('a', read, () => undefined, { keeps: true })
  asked[0]?.answer('of a')
  await settled()
  close()
  question.open('b', read, () => undefined, { keeps: true })
  question.more(async () => 'of a, more')
  asked[1]?.answer('of b')
  await settled()
  expect(question.get('b', true)).toEqual({ state: 'answer', answer: 'of b' })
})

test('without a listener the request is aborted, and nothing is reported or requested', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  const changed = vi.fn<() => void>()
  question.open('a', read, changed)()
  expect(asked[0]?.signal.aborted).toBe(true)
  asked[0]?.answer('late')
  await settled()
  expect([changed.mock.calls.length, await question.again(), asked.length]).toEqual([0, undefined, 1])
  question.open(undefined, read, changed)
  expect([question.get(undefined), asked.length]).toEqual([{ state: 'asking' }, 1])
})

test('a read can return several answers; its subscriptions end with the listener', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  const close = question.open('a', read, () => undefined)
  asked[0]?.give('one')
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'one' })
  asked[0]?.answer(undefined)
  await settled()
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'one' })
  expect(asked[0]?.signal.aborted).toBe(false)
  asked[0]?.give('two')
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'two' })
  close()
  expect(asked[0]?.signal.aborted).toBe(true)
  asked[0]?.give('three')
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'two' })
})

test('a further page is requested with another read, which adds it to the answer', async () => {
  const question = createQuestion<string>()
  const { read, asked } = heldRead()
  question.open('a', read, () => undefined)
  asked[0]?.answer('one')
  await settled()
  question.more(async () => 'one, two')
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'one', isWaiting: true })
  await settled()
  expect([question.get('a'), asked.length]).toEqual([{ state: 'answer', answer: 'one, two' }, 1])
})

test('the initial answer of the page is shown at once, and a newer one is requested on demand', async () => {
  const question = createQuestion('first')
  const { read, asked } = heldRead()
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'first' })
  question.open('a', read, () => undefined)
  expect([question.get('a'), asked.length]).toEqual([{ state: 'answer', answer: 'first' }, 0])
  const again = question.again()
  asked[0]?.answer('newer')
  await again
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'newer' })
  question.change(shown => `${shown}, changed`)
  expect(question.get('a')).toEqual({ state: 'answer', answer: 'newer, changed' })
})

test('it reads at an interval, one request at a time, and after a pause if its key is typed', async () => {
  vi.useFakeTimers()
  try {
    const question = createQuestion<string>()
    const { read, asked } = heldRead()
    const close = question.open('a', read, () => undefined, { everyMs: 1_000, afterMs: 100 })
    expect(asked.length).toBe(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(asked.length).toBe(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asked.length).toBe(1)
    asked[0]?.answer('one')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked.length).toBe(2)
    close()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked.length).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
