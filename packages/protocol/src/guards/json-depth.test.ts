import { expect, test } from 'vitest'
import { nestsDeeperThan } from './json-depth.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('D15 accepts exactly the limit and refuses one level more', () => {
  expect(nestsDeeperThan(bytes('['.repeat(64) + ']'.repeat(64)), 64)).toBe(false)
  expect(nestsDeeperThan(bytes('['.repeat(65) + ']'.repeat(65)), 64)).toBe(true)
  expect(nestsDeeperThan(bytes('{"a":'.repeat(65) + '1' + '}'.repeat(65)), 64)).toBe(true)
})

test('brackets in strings do not count, nor does an escaped quotation mark end a string', () => {
  expect(nestsDeeperThan(bytes(JSON.stringify(['['.repeat(500)])), 64)).toBe(false)
  expect(nestsDeeperThan(bytes(JSON.stringify([`"${'{'.repeat(500)}\\`])), 64)).toBe(false)
  expect(nestsDeeperThan(bytes(JSON.stringify([`é漢"${'{'.repeat(500)}`])), 64)).toBe(false)
})

test('many adjacent brackets are not deep', () => {
  expect(nestsDeeperThan(bytes(`[${'[],'.repeat(5_000)}[]]`), 64)).toBe(false)
})
