import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CommandError } from '../../command-error.ts'
import { writeProject } from './write-project.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-write-'))
})
afterEach(() => rm(folder, { recursive: true }))

const files = (...paths: string[]): readonly { readonly path: string; readonly text: string }[] =>
  paths.map(path => ({ path, text: `new ${path}` }))

test('writes all files into a folder that it creates', async () => {
  await writeProject(join(folder, 'a/b'), files('one', 'two'), { replace: [] })
  expect(await readdir(join(folder, 'a/b'))).toEqual(['one', 'two'])
  expect(await readFile(join(folder, 'a/b/two'), 'utf8')).toBe('new two')
})

test('a file that cannot be written: those before it are removed and what they replaced is restored', async () => {
  await writeFile(join(folder, 'one'), 'old one')
  const failing = writeProject(folder, files('one', 'two', 'one/three'), { replace: ['one'] })
  await expect(failing).rejects.toThrow(
    new CommandError(
      `nothing was written: ${join(folder, 'one')} cannot be written (EEXIST)`,
      'fix that, and try again',
    ),
  )
  expect(await readdir(folder)).toEqual(['one'])
  expect(await readFile(join(folder, 'one'), 'utf8')).toBe('old one')
})

test('removes the folders that it created as well, unless they contain other files', async () => {
  const failing = (): Promise<void> =>
    writeProject(join(folder, 'a/b'), files('one', 'one/three'), { replace: [] })
  await expect(failing()).rejects.toThrow('nothing was written')
  expect(await readdir(folder)).toEqual([])
  await mkdir(join(folder, 'a'))
  await expect(failing()).rejects.toThrow('nothing was written')
  expect(await readdir(folder)).toEqual(['a'])
})

test('neither replaces nor removes a file that appeared after the check', async () => {
  await writeFile(join(folder, 'two'), 'came meanwhile')
  await expect(writeProject(folder, files('one', 'two'), { replace: [] })).rejects.toThrow('(EEXIST)')
  expect(await readdir(folder)).toEqual(['two'])
  expect(await readFile(join(folder, 'two'), 'utf8')).toBe('came meanwhile')
})

test('an abort leaves nothing behind', async () => {
  const stopping = new AbortController()
  stopping.abort(new Error('stopped'))
  const writing = writeProject(join(folder, 'new'), files('one'), { replace: [], signal: stopping.signal })
  await expect(writing).rejects.toThrow('stopped')
  expect(await readdir(folder)).toEqual([])
})
