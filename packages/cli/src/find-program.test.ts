import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from './find-program.ts'

test('farebox is called by its name if it is in PATH, and by npx if only npm put it there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-path-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [own, npms] = [join(folder, 'bin'), join(folder, 'node_modules', '.bin')]
  for (const bin of [own, npms]) {
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, 'farebox'), '', { mode: 0o755 })
  }
  expect(findProgram([npms, own].join(delimiter))).toBe('farebox')
  expect(findProgram([npms, folder, '.'].join(delimiter))).toBe('npx farebox')
  expect(findProgram(undefined)).toBe('npx farebox')
})
