import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyEdits, EditDoesNotFit, type Edit } from './edit.ts'
import { findTest, openSources } from './sources.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'farebox-edits-test-'))
})
afterEach(() => rm(root, { recursive: true }))

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}

async function apply(...edits: Edit[]): Promise<Record<string, string>> {
  return Object.fromEntries(applyEdits('a mutant', edits, await openSources(root)))
}

const LATE = `import { head } from './head.ts'

/** Says \`return\` as well. */
export function isLate(ms: number): boolean {
  return ms > head
}

function isEarly(ms: number): boolean {
  return ms < head
}
`

describe('an edit', () => {
  test('changes the function that it names, in any folder and file', async () => {
    await write('packages/one/src/times/late.ts', LATE)
    expect(await apply({ in: 'one/isLate', find: 'return ms', replace: 'return 2 * ms' })).toEqual({
      'packages/one/src/times/late.ts': LATE.replace('return ms >', 'return 2 * ms >'),
    })
  })

  test.each([
    ['a text that is not in the function', { in: 'one/isLate', find: 'ms <', replace: '' }],
    ['a text that is in it twice', { in: 'one/isLate', find: 'boolean', replace: '' }],
    ['a function that nothing declares', { in: 'one/isPunctual', find: 'ms', replace: '' }],
    ['a function of another package', { in: 'two/isLate', find: 'return ms', replace: '' }],
  ])('is refused for %s, by its name', async (_, edit) => {
    await write('packages/one/src/late.ts', LATE.replace('return ms >', 'const is: boolean = ms >'))
    await expect(apply(edit)).rejects.toThrow(EditDoesNotFit)
    await expect(apply(edit)).rejects.toThrow('"a mutant": ')
  })

  test('is refused when two functions of one name contain its text; tests do not count', async () => {
    const edit = { in: 'one/isLate', find: 'return ms', replace: '' }
    await write('packages/one/src/late.test.ts', LATE)
    await expect(apply(edit)).rejects.toThrow('0 times')
    await write('packages/one/src/late.ts', LATE)
    await write('packages/one/src/copy.ts', LATE)
    await expect(apply(edit)).rejects.toThrow('2 times')
  })

  test('an edit of a migration changes the last definition', async () => {
    const first = 'create function hold() returns int as $$\nbegin\n  return 1;\nend $$;\n'
    await write('packages/one/migrations/0001.sql', first)
    await write(
      'packages/one/migrations/0002.sql',
      `create table t ();\n\n${first.replace('create', 'create or replace')}`,
    )
    const changed = await apply({ in: 'one/migrations/hold', find: 'return 1', replace: 'return 2' })
    expect(Object.keys(changed)).toEqual(['packages/one/migrations/0002.sql'])
  })
})

test('a test is found by its package and name, and only if it is unique', async () => {
  await write('packages/one/src/times/late.test.ts', '')
  expect(await findTest('one/late.test.ts', root)).toBe('packages/one/src/times/late.test.ts')
  await write('packages/one/src/late.test.ts', '')
  await expect(findTest('one/late.test.ts', root)).rejects.toThrow('2 times')
  await expect(findTest('one/early.test.ts', root)).rejects.toThrow('0 times')
})
