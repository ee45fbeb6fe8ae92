import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPartLog } from './part-log.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-part-log-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

test('each start begins a new log that other users cannot read, and keeps the previous one', async () => {
  const file = join(folder, 'logs', 'platform.log')
  for (const line of ['first start', 'second start']) {
    const log = openPartLog(file)
    log.write(line)
    log.close()
  }
  expect(await readFile(file, 'utf8')).toBe('second start\n')
  expect(await readFile(`${file}.old`, 'utf8')).toBe('first start\n')
  expect((await stat(file)).mode & 0o077).toBe(0)
})

test('a log that grows without limit uses two files, which have the newest lines', async () => {
  const file = join(folder, 'agent.log')
  const log = openPartLog(file, 1_000)
  for (let number = 0; number < 1_000; number += 1) log.write(`line ${number}`)
  log.close()
  expect((await readdir(folder)).toSorted()).toEqual(['agent.log', 'agent.log.old'])
  const kept = (await readFile(`${file}.old`, 'utf8')) + (await readFile(file, 'utf8'))
  expect(kept).toMatch(/line 998\nline 999\n$/)
  expect(kept.length).toBeLessThan(2_100)
})

test('a log that cannot be written does not stop the part', async () => {
  const log = openPartLog(folder)
  log.write('a line')
  log.close()
  expect(await readdir(folder)).toEqual([])
})
