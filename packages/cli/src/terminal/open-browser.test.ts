import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from './open-browser.ts'

const PATH = process.env['PATH']
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-browser-'))
})

afterEach(async () => {
  process.env['PATH'] = PATH
  await rm(folder, { recursive: true, force: true })
})

/** Replaces this machine's opener by a script that records its arguments. */
async function standIn(exitCode: number): Promise<string> {
  const [script, noted] = [join(folder, 'xdg-open'), join(folder, 'given')]
  await writeFile(script, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${noted}'\nexit ${exitCode}\n`)
  await chmod(script, 0o755)
  process.env['PATH'] = `${folder}:${PATH}`
  return noted
}

describe.runIf(process.platform === 'linux')('CLI-05 the browser is opened without a shell', () => {
  test.each([
    ['https://x.example/$(id)', 'https://x.example/$(id)'],
    ['https://x.example/a b"; rm -rf ~ #', 'https://x.example/a%20b%22;%20rm%20-rf%20~%20#'],
    ['https://x.example/`id`\n--help', 'https://x.example/%60id%60--help'],
  ])('%j is passed as one argument', async (url, word) => {
    const noted = await standIn(0)
    expect(await openBrowser(url)).toBe(true)
    expect(await readFile(noted, 'utf8')).toBe(`1\n${word}\n`)
  })

  test('a failing opener and a missing one are reported', async () => {
    await standIn(3)
    expect(await openBrowser('https://x.example')).toBe(false)
    process.env['PATH'] = join(folder, 'nothing')
    expect(await openBrowser('https://x.example')).toBe(false)
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', '--help', ''])('%j is not opened', async url => {
    const noted = await standIn(0)
    expect(await openBrowser(url)).toBe(false)
    await expect(readFile(noted, 'utf8')).rejects.toThrow('ENOENT')
  })
})
