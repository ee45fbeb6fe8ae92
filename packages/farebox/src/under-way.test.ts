import { expect, test } from 'vitest'
import { createUnderWay, type Placed } from './under-way.ts'

const item = (name: string): Placed & { readonly name: string } => ({ name, place: -1 })

test('what was removed is not there any more, whichever it was', () => {
  const underWay = createUnderWay<ReturnType<typeof item>>()
  const all = ['first', 'second', 'third', 'fourth'].map(item)
  for (const one of all) underWay.add(one)
  const [first, , third, fourth] = all
  for (const one of [fourth, first, third]) expect(one && underWay.delete(one)).toBe(true)
  for (const one of [fourth, first, third]) expect(one && underWay.delete(one)).toBe(false)
  expect(underWay.takeAll().map(({ name }) => name)).toEqual(['second'])
})

test('what was taken cannot be removed any more', () => {
  const underWay = createUnderWay<ReturnType<typeof item>>()
  const one = item('one')
  underWay.add(one)
  expect(underWay.takeAll()).toEqual([one])
  expect(underWay.delete(one)).toBe(false)
  expect(underWay.takeAll()).toEqual([])
})
