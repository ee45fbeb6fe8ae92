import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../command-error.ts'
import { manifestAdditions, type PackageManifest } from './package-manifest.ts'
import type { ProjectFile } from './project-files.ts'
import type { ProjectVersions } from './project-versions.ts'
import type { Conflict } from './write-project.ts'

export interface OwnFile {
  readonly path: string
  /** `completed`: its lines stay, and those that keep secrets out are written below them. */
  readonly state: 'kept' | 'completed'
}

export interface ProjectBesideOwn {
  /** To be written; those completed are among them, whole. */
  readonly files: readonly ProjectFile[]
  readonly conflicts: readonly Conflict[]
  readonly own: readonly OwnFile[]
  /** The commands that add what a `package.json` of somebody's own lacks; undefined where one is written. */
  readonly additions: readonly string[] | undefined
}

/** It is never replaced: its content cannot be made again. */
const MANIFEST = 'package.json'
const README = 'README.md'
const IGNORE_LISTS: readonly string[] = ['.gitignore', '.dockerignore']

/**
 * A folder in which somebody has begun already, a repository just cloned say, is no reason to refuse: its
 * `package.json` and its README stay, and what its ignore lists lack is added to them.
 */
export async function besideOwnFiles(
  folder: string,
  files: readonly ProjectFile[],
  conflicts: readonly Conflict[],
  versions: ProjectVersions,
): Promise<ProjectBesideOwn> {
  const plain = new Set(conflicts.filter(({ what }) => what === 'a file').map(({ path }) => path))
  // A link to a package.json of theirs is theirs as well.
  const manifest = conflicts.find(({ path, isReplaceable }) => path === MANIFEST && isReplaceable)
  const additions = manifest && manifestAdditions(await readManifest(join(folder, MANIFEST)), versions)
  const own: OwnFile[] = []
  if (manifest !== undefined) own.push({ path: MANIFEST, state: 'kept' })
  if (plain.has(README)) own.push({ path: README, state: 'kept' })
  const completed = new Map<string, ProjectFile>()
  for (const file of files) {
    if (!IGNORE_LISTS.includes(file.path) || !plain.has(file.path)) continue
    const theirs = await readText(join(folder, file.path))
    // Written again it would lose what cannot be read: it stays in the way.
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

/** Their lines as they stand, and below them those of ours that they lack; undefined where they lack none. */
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

/** Undefined where it cannot be read, or is not UTF-8 to the last byte. */
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
