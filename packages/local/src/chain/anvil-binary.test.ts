import { access, constants } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readGlibcVersion } from '../processes/glibc.ts'
import { findAnvil } from './anvil-binary.ts'

test('finds the program that npm installed for this machine', async () => {
  const { platform, arch } = process
  const path = findAnvil({ platform, arch, glibcVersion: readGlibcVersion() })
  await expect(access(path, constants.X_OK)).resolves.toBeUndefined()
})

test('explains the next step when there is no anvil for the platform', () => {
  expect(() => findAnvil({ platform: 'freebsd', arch: 'x64', glibcVersion: undefined })).toThrow(
    'There is no anvil for freebsd on x64: set EVM_RPC_URL to another Ethereum node to do without it',
  )
})

test('explains the next step when glibc is older than 2.35, or missing as on Alpine', () => {
  const debian11 = { platform: 'linux', arch: 'x64', glibcVersion: '2.31' }
  expect(() => findAnvil(debian11)).toThrow(
    'anvil needs glibc 2.35 or newer, and this system has 2.31: set EVM_RPC_URL',
  )
  const alpine = { platform: 'linux', arch: 'x64', glibcVersion: undefined }
  expect(() => findAnvil(alpine)).toThrow(
    'anvil needs glibc 2.35 or newer, and this system has none: set EVM_RPC_URL',
  )
})

test('explains the next step when the program was not installed', () => {
  expect(() => findAnvil({ platform: 'win32', arch: 'x64', glibcVersion: undefined })).toThrow(
    "anvil's program is not installed: install with optional dependencies",
  )
})
