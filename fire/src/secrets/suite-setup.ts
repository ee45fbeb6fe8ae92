import { afterAll, expect } from 'vitest'
import { watchChildren } from './watch-children.ts'

// Of every test file: no program that it starts may write anything that has the form of a secret (OPS-08).

const watch = watchChildren()

afterAll(() => {
  watch.stop()
  expect(watch.suspects(), 'secrets in what programs wrote').toEqual([])
})
