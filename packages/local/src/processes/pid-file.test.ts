import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readPidFile, writePidFile } from './pid-file.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-pid-'))
  path = join(folder, 'a.pid')
})
afterEach(async () => await rm(folder, { recursive: true }))

test('finds the recorded process while it runs, and not afterwards', async () => {
  const child = spawn('sleep', ['60'])
  await writePidFile(path, child.pid ?? 0)
  expect(await readPidFile(path)).toMatchObject({ pid: child.pid, commandLine: 'sleep 60' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await readPidFile(path)).toBeUndefined()
})

test('does not mistake another process with the same pid for the recorded one', async () => {
  await writePidFile(path, process.pid)
  const note = await readFile(path, 'utf8')
  await writeFile(path, note.replace(/"startedAt":".*"/, '"startedAt":"1"'))
  expect(await readPidFile(path)).toBeUndefined()
})

test('treats a missing file and one in another format as "not running"', async () => {
  expect(await readPidFile(path)).toBeUndefined()
  for (const text of ['', String(process.pid), '{"pid":-1,"startedAt":"1"}\n', '{"pid":1}\n']) {
    await writeFile(path, text)
    expect(await readPidFile(path)).toBeUndefined()
  }
})
