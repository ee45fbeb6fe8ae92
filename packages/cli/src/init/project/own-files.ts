import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../command-error.ts'
import { manifestAdditions, type PackageManifest } from './package-manifest.ts'
import type { ProjectFile } from './project-files.ts'
import type { ProjectVersions } from './project-versions.ts'
import type { Conflict } from './write-project.ts'

export interface OwnFile {
  readonly path: string
  /** `completed`: the existing lines are kept, and those that keep secrets out of the repository are appended. */
  readonly state: 'kept' | 'completed'
}

export interface ProjectBesideOwn {
  /** The files to write; completed files are included with their whole content. */
  readonly files: readonly ProjectFile[]
  readonly conflicts: readonly Conflict[]
  readonly own: readonly OwnFile[]
  /** The commands that add what an existing `package.json` lacks; `undefined` when this command writes it. */
  readonly additions: readonly string[] | undefined
}

/** Never replaced, because its content cannot be recreated. */
const MANIFEST = 'package.json'
const README = 'README.md'
const IGNORE_LISTS: readonly string[] = ['.gitignore', '.dockerignore']

/**
 * Handles a folder with existing files, such as a cloned repository: its `package.json` and README are kept, and missing
 * lines are added to its ignore lists.
 */
export async function besideOwnFiles(
  folder: string,
  files: readonly ProjectFile[],
  conflicts: readonly Conflict[],
  versions: ProjectVersions,
): Promise<ProjectBesideOwn> {
  const plain = new Set(conflicts.filter(({ what }) => what === 'a file').map(({ path }) => path))
  // A link to a package.json also belongs to the person.
  const manifest = conflicts.find(({ path, isReplaceable }) => path === MANIFEST && isReplaceable)
  const additions = manifest && manifestAdditions(await readManifest(join(folder, MANIFEST)), versions)
  const own: OwnFile[] = []
  if (manifest !== undefined) own.push({ path: MANIFEST, state: 'kept' })
  if (plain.has(README)) own.push({ path: README, state: 'kept' })
  const completed = new Map<string, ProjectFile>()
  for (const file of files) {
    if (!IGNORE_LISTS.includes(file.path) || !plain.has(file.path)) continue
    const theirs = await readText(join(folder, file.path))
    // Rewriting the file would lose the bytes that cannot be decoded, so it counts as a conflict.
    if (theirs === undefined) continue
    const text = complete(theirs, file.text)
    if (text !== undefined) completed.set(file.path, { ...file, text })
    own.push({ path: file.path, state: text === undefined ? 'kept' : 'completed' })
  }
  const isOwn = ({ path }: { readonly path: string }): boolean => own.some(one => one.path === path)
  return {
    files: files
      .filter(file => !isOwn(file) || completed.has(file.path))
      .map(file => completed.get(file.path) ?? file),
    conflicts: conflicts.filter(conflict => !isOwn(conflict)),
    own,
    additions,
  }
}

/** Returns their lines unchanged, followed by our lines that they lack, or `undefined` when they lack none. */
function complete(theirs: string, ours: string): string | undefined {
  const known = new Set(linesOf(theirs))
  const missing = linesOf(ours).filter(line => !known.has(line))
  if (missing.length === 0) return undefined
  const gap = theirs === '' || theirs.endsWith('\n') ? '' : '\n'
  return `${theirs}${gap}${missing.join('\n')}\n`
}

function linesOf(list: string): readonly string[] {
  return list
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
}

/** Returns `undefined` when the file cannot be read or is not valid UTF-8. */
async function readText(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file))
  } catch {
    return undefined
  }
}

async function readManifest(file: string): Promise<PackageManifest> {
  try {
    const manifest: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return { ...manifest }
  } catch (error) {
    throw new CommandError(
      `${file} cannot be read`,
      'fix it, or name another folder: farebox init <folder>',
      { cause: error },
    )
  }
  throw new CommandError(
    `${file} is not a JSON object`,
    'fix it, or name another folder: farebox init <folder>',
  )
}
