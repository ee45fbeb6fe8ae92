import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock, type FakeClock } from 'farebox/testing'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchSources, type SourceWatch } from './source-watch.ts'

let folder: string
let clock: FakeClock
let told: string[]
let sources: SourceWatch

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-sources-'))
  clock = createFakeClock()
  told = []
  const deaf = { follow: () => undefined, close: () => Promise.resolve() }
  sources = watchSources(
    clock,
    file => told.push(file),
    () => Promise.resolve(deaf),
  )
})
afterEach(async () => {
  await sources.close()
  await rm(folder, { recursive: true })
})

/** Sweeps, which read the disk in real time, until a change is reported. */
async function sweepUntilTold(): Promise<readonly string[]> {
  await until(async () => {
    await sweep()
    return told.length > 0
  })
  return told
}

async function sweep(): Promise<void> {
  await clock.advance(1_000)
  await new Promise(resolve => setTimeout(resolve, 10))
}

test('changes that a watcher missed are found: a change, a new file, a removed one', async () => {
  const [there, later] = [join(folder, 'there.ts'), join(folder, 'later.ts')]
  await writeFile(there, 'one')
  await sources.startReading()
  await sources.follow([there, later])
  for (let swept = 0; swept < 3; swept += 1) await sweep()
  expect(told).toEqual([])

  await writeFile(there, 'two and more')
  expect(await sweepUntilTold()).toEqual([there])
  expect(await sources.changed(told)).toEqual([there])

  told = []
  await writeFile(later, 'new')
  expect(await sweepUntilTold()).toEqual([later])

  told = []
  await rm(there)
  expect(await sweepUntilTold()).toEqual([there])
})

test('a touched file is reported and does not count as a change; after close nothing is reported', async () => {
  const file = join(folder, 'a.ts')
  await writeFile(file, 'one')
  // Older than the current read.
  await utimes(file, 1, 1)
  await sources.startReading()
  await sources.follow([file])
  told = []
  await sources.startReading()
  await utimes(file, 2, 2)
  expect(await sweepUntilTold()).toEqual([file])
  expect(await sources.changed(told)).toEqual([])
  await sources.close()
  told = []
  await writeFile(file, 'two and more')
  for (let swept = 0; swept < 5; swept += 1) await sweep()
  expect([told, clock.waiting()]).toEqual([[], 0])
})
