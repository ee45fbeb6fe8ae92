import { expect, test } from 'vitest'
import { createRandom } from './seeded-random.ts'

test('draws of one fork do not shift those of others', () => {
  const [one, other] = [createRandom(7), createRandom(7)]
  one.fork('faults').next()
  expect(one.fork('workload').next()).toBe(other.fork('workload').next())
  expect(one.next()).toBe(other.next())
})

test('numbers are spread over the requested range', () => {
  const random = createRandom(7)
  const drawn = Array.from({ length: 6_000 }, () => random.between(1, 6))
  for (const side of [1, 2, 3, 4, 5, 6]) {
    const count = drawn.filter(one => one === side).length
    expect(count).toBeGreaterThan(850)
    expect(count).toBeLessThan(1_150)
  }
  expect(() => random.pick([])).toThrow(RangeError)
})

test('a UUID has version 4', () => {
  const random = createRandom(7)
  expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(random.hex(32)).toMatch(/^0x[0-9a-f]{64}$/)
})
