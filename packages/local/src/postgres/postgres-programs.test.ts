import { chmod, lstat, mkdir, mkdtemp, readFile, readdir } from 'node:fs/promises'
import { readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findPostgresPackage, preparePrograms } from './postgres-programs.ts'

const nobody = { uid: 65534, gid: 65534 }
let scratch: string
let packageFolder: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-programs-'))
  await chmod(scratch, 0o755)
  packageFolder = join(scratch, 'linux-x64')
  await mkdir(join(packageFolder, 'native', 'bin'), { recursive: true })
  await mkdir(join(packageFolder, 'native', 'lib'))
  await writeFile(join(packageFolder, 'package.json'), '{"version":"18.4.0"}')
  await writeFile(join(packageFolder, 'native', 'bin', 'postgres'), 'program', { mode: 0o755 })
  await writeFile(join(packageFolder, 'native', 'lib', 'libpq.so.5.18'), 'library')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(packageFolder, 'native', 'pg-symlinks.json'), JSON.stringify(links))
})
afterEach(async () => await rm(scratch, { recursive: true }))

test('links the libraries in the package itself when the user can reach it, and can be repeated', async () => {
  const cache = join(scratch, 'cache')
  const programs = await preparePrograms(packageFolder, nobody, cache)
  expect(programs).toBe(join(packageFolder, 'native'))
  expect(await preparePrograms(packageFolder, nobody, cache)).toBe(programs)
  expect(await readlink(join(programs, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
  await expect(lstat(cache)).rejects.toThrow('ENOENT')
})

test('copies the programs once when the user who runs them cannot reach the package', async () => {
  await chmod(packageFolder, 0o700)
  await chmod(join(packageFolder, 'native', 'lib', 'libpq.so.5.18'), 0o600)
  const cache = join(scratch, 'cache')
  const programs = await preparePrograms(packageFolder, nobody, cache)
  expect(programs).toBe(join(cache, 'postgres-18.4.0-linux-x64', 'native'))
  expect(await readFile(join(programs, 'lib', 'libpq.so.5'), 'utf8')).toBe('library')
  expect((await stat(join(programs, 'bin', 'postgres'))).mode & 0o777).toBe(0o755)
  expect((await stat(join(programs, 'lib', 'libpq.so.5'))).mode & 0o777).toBe(0o644)
  expect(await readdir(cache)).toEqual(['postgres-18.4.0-linux-x64'])
  const firstMadeAt = (await stat(programs)).ino
  expect(await preparePrograms(packageFolder, nobody, cache)).toBe(programs)
  expect((await stat(programs)).ino).toBe(firstMadeAt)
})

test('explains the next step when there is no embedded PostgreSQL, and when glibc is too old or missing', () => {
  expect(() => findPostgresPackage('win32', 'x64', undefined)).toThrow(
    'There is no embedded PostgreSQL for win32 on x64: set DATABASE_URL to a PostgreSQL server',
  )
  expect(() => findPostgresPackage('linux', 'x64', '2.17')).toThrow(
    'Embedded PostgreSQL needs glibc 2.27 or newer, and this system has 2.17: set DATABASE_URL',
  )
  expect(() => findPostgresPackage('linux', 'x64', undefined)).toThrow(
    'this system has none: set DATABASE_URL',
  )
})

test('explains the next step when the programs were not installed', () => {
  expect(() => findPostgresPackage('darwin', 'arm64', undefined)).toThrow(
    "PostgreSQL's programs are not installed: install with optional dependencies",
  )
})
