import { cp, mkdir, mkdtemp, readdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ROOT } from '../edits/sources.ts'

/** Files outside the package that its tests need. */
const ROOT_FILES = [
  'package.json',
  'tsconfig.base.json',
  'vitest.config.ts',
  'scripts/failures-at-once.mjs',
  'scripts/test-lanes.mjs',
  'scripts/no-programs.test-setup.mjs',
  'scripts/built-programs.test-setup.mjs',
]
const LEFT_OUT: ReadonlySet<string> = new Set(['dist', 'node_modules', 'tsconfig.tsbuildinfo'])

/**
 * Polling fails before the test times out, because a timeout does not count as a detection. Nothing is built: programs
 * and threads are those of the originals, and detect no breach.
 */
const CONFIG = `import root from './vitest.config.ts'

const projects = root.test.projects.map(project => ({
  ...project,
  test: { ...project.test, expect: { poll: { timeout: 30_000 } } },
}))
export default { ...root, test: { ...root.test, globalSetup: [], projects } }
`

/** The vitest configuration of a copy: the root's, except for the polling time and the build. */
export const CONFIG_FILE = 'breaches.config.mjs'

/**
 * Copies the packages into a new temporary folder, where they can be changed safely; their dependencies are linked.
 * About 1,000 small files. Resolves to the folder, which the caller removes.
 */
export async function copySources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-breaches-'))
  for (const file of ROOT_FILES) await cp(join(ROOT, file), join(folder, file))
  await writeFile(join(folder, CONFIG_FILE), CONFIG)
  const filter = (path: string): boolean => !LEFT_OUT.has(basename(path))
  await cp(join(ROOT, 'packages'), join(folder, 'packages'), { recursive: true, filter })
  await linkModules(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const name of await readdir(join(ROOT, 'packages'))) {
    const [original, copy] = [join(ROOT, 'packages', name), join(folder, 'packages', name)]
    await linkModules(join(original, 'node_modules'), join(copy, 'node_modules'))
    await symlink(join(original, 'dist'), join(copy, 'dist'))
  }
  return folder
}

/**
 * Links each module to its installation, and each of our own packages, which are links already, to its copy: a copy
 * that imported the originals would break nothing.
 */
async function linkModules(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => [])
  if (entries.length === 0) return
  await mkdir(to, { recursive: true })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else if (entry.name.startsWith('@')) await linkModules(source, target)
    else if (!entry.name.startsWith('.')) await symlink(source, target)
  }
}
