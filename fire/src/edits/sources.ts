import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { declarationsOf } from './declarations.ts'
import type { Sources } from './edit.ts'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Reads what the packages of a copy of the repository declare, tests left out. About a thousand files. */
export async function openSources(root: string = ROOT): Promise<Sources> {
  const declaring = new Map<string, string[]>()
  const note = (name: string, file: string): void => {
    const files = declaring.get(name) ?? []
    if (!files.includes(file)) declaring.set(name, [...files, file])
  }
  for (const packageName of await readdir(join(root, 'packages'))) {
    const folder = join(root, 'packages', packageName)
    for (const file of await filesIn(join(folder, 'src'), isSource)) {
      for (const { name } of declarationsOf(file, await readFile(file, 'utf8')))
        note(`${packageName}/${name}`, relative(root, file))
    }
    // A later migration takes the place of an earlier one.
    const last = new Map<string, string>()
    for (const file of (await filesIn(join(folder, 'migrations'), path => path.endsWith('.sql'))).sort()) {
      for (const { name } of declarationsOf(file, await readFile(file, 'utf8'))) last.set(name, file)
    }
    for (const [name, file] of last) note(`${packageName}/migrations/${name}`, relative(root, file))
  }
  return {
    declaring: name => declaring.get(name) ?? [],
    read: file => readFile(join(root, file), 'utf8'),
  }
}

/**
 * The file of a test, from the root of the repository, by its package and its name: `farebox/pipeline.test.ts`.
 * Rejects where there is none, or several.
 */
export async function findTest(test: string, root: string = ROOT): Promise<string> {
  const [packageName = '', name = ''] = test.split('/')
  const files = await filesIn(join(root, 'packages', packageName, 'src'), path => path.endsWith(`/${name}`))
  const [file] = files
  if (file === undefined || files.length > 1) throw new Error(`${test} is there ${files.length} times`)
  return relative(root, file)
}

function isSource(path: string): boolean {
  return path.endsWith('.ts') && !/\.test(?:-setup)?\.ts$|\/test-setup\//.test(path)
}

async function filesIn(folder: string, isWanted: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(isWanted)
}
