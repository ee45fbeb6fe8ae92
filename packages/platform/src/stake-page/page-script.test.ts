import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { jsonForScript, untrustedLine } from './html.ts'
import { readPageFiles } from './page-files.ts'

test('the script of the page passes the type check of the project, as what browsers run', async () => {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin',
    'tsc',
  )
  const folder = fileURLToPath(new URL('browser', import.meta.url))
  // Rejects with what the compiler says.
  await promisify(execFile)(process.execPath, [compiler, '-p', folder])
})

test('script and style stand in the page as they are: neither ends its own element', () => {
  const { script, style } = readPageFiles()
  expect(script).not.toMatch(/<\/?script|<!--|innerHTML|\beval\b/i)
  expect(style).not.toMatch(/<\/style|url\(|@import/i)
})

test('WEB-01 data in the page cannot end its element, and reads back as it was', () => {
  const hostile = { text: '</script><!--<script>\u2028&' }
  const { html } = jsonForScript(hostile)
  expect(html).not.toMatch(/[<>&\u2028]/)
  expect(JSON.parse(html)).toEqual(hostile)
})

test('a stranger’s line is one line of so many characters', () => {
  expect(untrustedLine(' a\n\n b\t c ', 64)).toBe('a b c')
  expect(Array.from(untrustedLine('😀'.repeat(100), 64))).toHaveLength(64)
  expect(untrustedLine('a\u202eb\u0000c', 64)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})
