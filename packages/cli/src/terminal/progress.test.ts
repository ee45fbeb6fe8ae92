import { expect, test } from 'vitest'
import { createTestWorld } from '../testing/test-world.ts'
import { showProgress } from './progress.ts'

test('a progress line moves on a terminal and is removed once', () => {
  const { world, err } = createTestWorld({ folder: '/', live: true })
  const progress = showProgress(world, 'Counter is at work')
  expect(err()).toContain('Counter is at work')
  progress.end()
  expect(err().endsWith('\r\u001b[2K')).toBe(true)
  const { length } = err()
  progress.end()
  expect(err()).toHaveLength(length)
})

test('without a terminal the text is printed once, on a line of its own', () => {
  const { world, err } = createTestWorld({ folder: '/' })
  showProgress(world, 'Counter is at work').end()
  expect(err()).toBe('  Counter is at work …\n')
})
