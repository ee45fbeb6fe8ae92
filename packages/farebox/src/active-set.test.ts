import { expect, test } from 'vitest'
import { createActiveSet, type Placed } from './active-set.ts'

const item = (name: string): Placed & { readonly name: string } => ({ name, place: -1 })

test('a removed item is no longer in the set, whatever its position was', () => {
  const active = createActiveSet<ReturnType<typeof item>>()
  const all = ['first', 'second', 'third', 'fourth'].map(item)
  for (const one of all) active.add(one)
  const [first, , third, fourth] = all
  for (const one of [fourth, first, third]) expect(one && active.delete(one)).toBe(true)
  for (const one of [fourth, first, third]) expect(one && active.delete(one)).toBe(false)
  expect(active.takeAll().map(({ name }) => name)).toEqual(['second'])
})

test('an item that was taken cannot be removed any more', () => {
  const active = createActiveSet<ReturnType<typeof item>>()
  const one = item('one')
  active.add(one)
  expect(active.takeAll()).toEqual([one])
  expect(active.delete(one)).toBe(false)
  expect(active.takeAll()).toEqual([])
})
