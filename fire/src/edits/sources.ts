import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { declarationsOf } from './declarations.ts'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The sources in which edits are made. */
export type Sources = Awaited<ReturnType<typeof openSources>>

/**
 * Reads a copy of the repository, about a thousand files without tests: the `texts` by file, from its root, and the
 * files `declaring` the name of an edit.
 */
export async function openSources(root: string = ROOT) {
  const texts = new Map<string, string>()
  const declaring = new Map<string, ReadonlySet<string>>()
  for (const packageName of await readdir(join(root, 'packages'))) {
    const folder = join(root, 'packages', packageName)
    const modules = await filesIn(join(folder, 'src'), isSource)
    const migrations = await filesIn(join(folder, 'migrations'), path => path.endsWith('.sql'))
    for (const path of [...modules, ...migrations.sort()]) {
      const [file, text] = [relative(root, path), await readFile(path, 'utf8')]
      texts.set(file, text)
      const isMigration = file.endsWith('.sql')
      for (const { name } of declarationsOf(file, text)) {
        const key = `${packageName}/${isMigration ? 'migrations/' : ''}${name}`
        // A later migration replaces an earlier one.
        const others = isMigration ? [] : (declaring.get(key) ?? [])
        declaring.set(key, new Set([...others, file]))
      }
    }
  }
  return { texts, declaring }
}

/**
 * The file of a test, from the root of the repository, by its package and its name: `farebox/pipeline.test.ts`. Rejects
 * if there is none, or several.
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
