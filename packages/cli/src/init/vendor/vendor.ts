import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { CommandError } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { VENDOR_FOLDER, VENDORED_LOCAL_FOLDER } from './vendor-folder.ts'

/** Our packages as files of a new project, which installs them when they do not come from a registry. */
export interface Vendor {
  /** The absolute path of the repository from which they are packed. */
  readonly clone: string
  /** Version specifiers for `package.json`, `file:vendor/…`. */
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
  readonly paths: readonly string[]
}

export interface VendoredFile {
  /** Relative to the project's folder. */
  readonly path: string
  readonly bytes: Uint8Array
}

interface PackageFile {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: { readonly [name: string]: string }
}

/**
 * Determines which packages of a clone a project needs, and where they are put. `package.json` lists every one of them: npm
 * then finds the dependency of one of our packages at the top of the tree and requests none from a registry.
 *
 * @param clone the absolute path of the repository
 */
export async function planVendor(clone: string): Promise<Vendor> {
  const packages = await readPackages(clone)
  const runtime = closure(packages, 'farebox')
  const commands = closure(packages, '@farebox/cli').filter(one => !runtime.includes(one))
  const local = closure(packages, '@farebox/local').filter(
    one => !runtime.includes(one) && !commands.includes(one),
  )
  return {
    clone,
    dependencies: specifiers(runtime),
    devDependencies: specifiers(commands),
    paths: [
      ...[...runtime, ...commands].map(one => `${VENDOR_FOLDER}/${tarballName(one)}`),
      ...local.map(one => `${VENDORED_LOCAL_FOLDER}/${tarballName(one)}`),
    ],
  }
}

/** Builds and packs the packages like `npm run pack` does. */
export async function packVendor(
  { err, signal }: World,
  { clone, paths }: Vendor,
): Promise<readonly VendoredFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-vendor-'))
  if (err.live) err.write('  packing Farebox from this clone …')
  try {
    const words = [join(clone, 'scripts', 'pack.mjs'), '--json', '--out', folder]
    await promisify(execFile)(process.execPath, words, { signal, maxBuffer: LONGEST_OUTPUT_BYTES })
    return await Promise.all(
      paths.map(async path => ({ path, bytes: await readFile(join(folder, basename(path))) })),
    )
  } catch (error) {
    signal.throwIfAborted()
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new CommandError(`Farebox cannot be packed from ${clone}; nothing was written`, said, {
      cause: error,
    })
  } finally {
    if (err.live) err.write('\r\u001b[2K')
    await rm(folder, { recursive: true, force: true })
  }
}

const LONGEST_OUTPUT_BYTES = 16_777_216

async function readPackages(clone: string): Promise<readonly PackageFile[]> {
  const folders = await Promise.all(
    ['packages', 'apps'].map(async part => {
      const names = await readdir(join(clone, part))
      return names.map(name => join(clone, part, name))
    }),
  )
  return await Promise.all(
    folders
      .flat()
      .map(async folder => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageFile),
  )
}

/** Returns a package, followed by all of our packages that it depends on, directly or indirectly. */
function closure(packages: readonly PackageFile[], name: string): readonly PackageFile[] {
  const found = new Set<PackageFile>()
  const add = (wanted: string): void => {
    const one = packages.find(({ name: candidate }) => candidate === wanted)
    if (one === undefined || found.has(one)) return
    found.add(one)
    Object.keys(one.dependencies ?? {}).forEach(add)
  }
  add(name)
  return [...found]
}

function specifiers(packages: readonly PackageFile[]): { readonly [name: string]: string } {
  return Object.fromEntries(packages.map(one => [one.name, `file:${VENDOR_FOLDER}/${tarballName(one)}`]))
}

/** Returns the file name that `npm pack` uses. */
function tarballName({ name, version }: PackageFile): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}
