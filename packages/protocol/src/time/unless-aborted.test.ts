import { expect, test } from 'vitest'
import { unlessAborted } from './unless-aborted.ts'

test('work that ends before the abort gives its value or its failure', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done')
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
})

test('an abort rejects with its reason, and a later failure of the work is ignored', async () => {
  const stopping = new AbortController()
  let fail = (_: Error): void => undefined
  const work = new Promise<string>((_, reject) => (fail = reject))
  const waited = unlessAborted(work, stopping.signal)
  stopping.abort(new Error('stopped'))
  await expect(waited).rejects.toThrow('stopped')
  await expect(unlessAborted(work, stopping.signal)).rejects.toThrow('stopped')
  fail(new Error('too late'))
  await new Promise(resolve => setImmediate(resolve))
})
