import { expect, test } from 'vitest'
import { formatPath } from './problem.ts'

test.each([
  [[], ''],
  [['name'], 'name'],
  [['capabilities', 'count', 'pricing', 'amount'], 'capabilities.count.pricing.amount'],
  [['capabilities', 'count', 'permissions', 0, 'token'], 'capabilities.count.permissions[0].token'],
  [['items', 2, 'name'], 'items[2].name'],
  [['grid', 0, 1], 'grid[0][1]'],
  [[3, 'name'], '[3].name'],
])('D21 the path %j is written in the usual notation', (path, text) => {
  expect(formatPath(path)).toBe(text)
})
