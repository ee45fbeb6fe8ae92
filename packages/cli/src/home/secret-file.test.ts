import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSecretFile, writeSecretFile } from './secret-file.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-secret-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('a file can be read by its owner alone, replaces the old one, and leaves no temporary file', async () => {
  const path = join(folder, 'a', 'b', 'secret.json')
  await writeSecretFile(path, 'one')
  await writeSecretFile(path, 'two')
  expect(await readFile(path, 'utf8')).toBe('two')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700)
  expect(await readdir(join(folder, 'a', 'b'))).toEqual(['secret.json'])
})

test('one of many concurrent writers creates the file, and its content stays', async () => {
  const path = join(folder, 'secret.json')
  const created = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, index) => {
      await createSecretFile(path, String(index))
      return String(index)
    }),
  )
  const winners = created.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  expect(winners).toEqual([await readFile(path, 'utf8')])
  expect(created.filter(one => one.status === 'rejected').map(one => one.reason as unknown)).toEqual(
    Array.from({ length: 19 }, () => expect.objectContaining({ code: 'EEXIST' })),
  )
  expect(await readdir(folder)).toEqual(['secret.json'])
})
