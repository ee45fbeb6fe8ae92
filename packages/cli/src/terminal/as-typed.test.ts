import { expect, test } from 'vitest'
import { asTyped } from './text.ts'

const BY_NPX = { program: 'npx farebox' }

test('a hint names npx before each command when the shell does not find farebox', () => {
  expect(asTyped(BY_NPX, 'set it, then: farebox secret revoke 1; farebox dev starts it')).toBe(
    'set it, then: npx farebox secret revoke 1; npx farebox dev starts it',
  )
  expect(asTyped(BY_NPX, "FAREBOX_LOCAL='/a b' farebox call http://h")).toBe(
    "FAREBOX_LOCAL='/a b' npx farebox call http://h",
  )
})

test('a hint is unchanged when the shell finds farebox, and when it names npx or a package', () => {
  expect(asTyped({ program: 'farebox' }, 'farebox dev starts it')).toBe('farebox dev starts it')
  for (const hint of ['npx farebox dev', '@farebox/cli init', 'farebox is a program', 'my-farebox dev']) {
    expect(asTyped(BY_NPX, hint)).toBe(hint)
  }
})
