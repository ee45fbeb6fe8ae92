import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFingerprints } from './source-watch.ts'
import { type FileWatch, watchFiles } from './watch-files.ts'

let folder = ''
let watch: FileWatch
let seen: string[] = []
let onSeen = (): void => undefined
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'farebox-watch-')))
  seen = []
  watch = watchFiles(file => {
    seen.push(file)
    onSeen()
  })
})
afterEach(async () => {
  await watch.close()
  await rm(folder, { recursive: true, force: true })
})

const at = (name: string): string => join(folder, name)
const write = (name: string, text: string): Promise<void> => writeFile(at(name), text)

/** Resolves when a change of the file is reported; earlier reports do not count. */
async function told(name: string, act: () => Promise<unknown>): Promise<void> {
  seen = []
  await act()
  while (!seen.includes(at(name))) {
    await new Promise<void>(resolve => {
      onSeen = resolve
    })
  }
}

/** Touches a file until the watcher reports it, and is then ready. */
async function ready(name: string): Promise<void> {
  const touching = setInterval(() => void writeFile(at(name), String(Math.random())), 20)
  await told(name, async () => undefined)
  clearInterval(touching)
}

describe('a watched file', () => {
  test('each write, replacement, removal and re-creation is reported, and other files are not', async () => {
    await Promise.all([write('a.ts', '1'), write('beside.ts', '1')])
    watch.follow([at('a.ts')])
    await ready('a.ts')
    await told('a.ts', () => write('a.ts', '2'))
    await told('a.ts', async () => {
      await write('a.tmp', '3')
      await rename(at('a.tmp'), at('a.ts'))
    })
    await told('a.ts', () => write('a.ts', '4'))
    await told('a.ts', () => rm(at('a.ts')))
    await told('a.ts', () => write('a.ts', '5'))
    await write('beside.ts', '2')
    await told('a.ts', () => write('a.ts', '6'))
    expect(seen.filter(file => file !== at('a.ts'))).toEqual([])
  })

  test('a file is noticed when it appears together with its folders', async () => {
    await write('a.ts', '1')
    watch.follow([at('a.ts'), at('lib/deep/b.ts')])
    await ready('a.ts')
    await told('lib/deep/b.ts', async () => {
      await mkdir(at('lib/deep'), { recursive: true })
      await write('lib/deep/b.ts', '1')
    })
    await ready('lib/deep/b.ts')
    await told('lib/deep/b.ts', () => rm(at('lib'), { recursive: true }))
    await told('lib/deep/b.ts', async () => {
      await mkdir(at('lib/deep'), { recursive: true })
      await write('lib/deep/b.ts', '2')
    })
  })

  test('a file is noticed in a folder created while its parent begins to be watched', async () => {
    await write('a.ts', '1')
    watch.follow([at('a.ts')])
    await ready('a.ts')
    for (let pauseMs = 0; pauseMs < 8; pauseMs += 1) {
      const name = `lib${pauseMs}/deep/b.ts`
      watch.follow([at('a.ts'), at(name)])
      await told(name, async () => {
        await mkdir(at(`lib${pauseMs}`))
        await delay(pauseMs)
        await mkdir(at(`lib${pauseMs}/deep`))
        await write(name, '1')
      })
      await ready(name)
    }
  })

  test('a file added to the watch later is noticed in a folder that is already watched', async () => {
    await Promise.all([write('a.ts', '1'), write('later.ts', '1')])
    watch.follow([at('a.ts')])
    await ready('a.ts')
    watch.follow([at('later.ts')])
    await ready('later.ts')
    seen = []
    await write('a.ts', '2')
    await told('later.ts', () => write('later.ts', '2'))
    expect(seen).not.toContain(at('a.ts'))
  })
})

describe('fingerprints', () => {
  test('content counts, not the time of the save', async () => {
    await Promise.all([write('a.ts', '1'), write('b.ts', '1')])
    const files = [at('a.ts'), at('b.ts'), at('none.ts')]
    const fingerprints = createFingerprints()
    await fingerprints.note(files)
    await Promise.all([write('a.ts', '1'), write('b.ts', '2')])
    expect(await fingerprints.changed(files)).toEqual([at('b.ts')])
    await Promise.all([write('b.ts', '1'), write('none.ts', '')])
    expect(await fingerprints.changed(files)).toEqual([at('none.ts')])
    expect(await fingerprints.changed([at('unknown.ts')])).toEqual([])
  })

  test('a file created while others were read counts as changed; one that existed before does not', async () => {
    const beforeMs = Date.now() - 10_000
    await write('new.ts', '1')
    const fingerprints = createFingerprints()
    expect(await fingerprints.noteNew([at('new.ts'), at('none.ts')], beforeMs)).toEqual([at('new.ts')])
    expect(await fingerprints.changed([at('new.ts'), at('none.ts')])).toEqual([at('new.ts')])
    expect(await fingerprints.noteNew([at('new.ts')], beforeMs)).toEqual([])
    await write('other.ts', '1')
    expect(await fingerprints.noteNew([at('other.ts')], Date.now() + 10_000)).toEqual([])
    expect(await fingerprints.changed([at('other.ts')])).toEqual([])
  })
})
