import { readFile } from 'node:fs/promises'
import type { Vendor } from '../vendor/vendor.ts'

/** The exact versions that a new project installs; this version of the command was tested with them. */
export interface ProjectVersions {
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
  /** The source of our own packages: the registry, or tarballs in the project. */
  readonly source: 'registry' | 'vendor'
}

/** The versions with which this repository compiles; a test compares them with its `package.json`. */
const COMPILER = { '@types/node': '20.19.25', typescript: '7.0.2' }

/** Reads the versions; those of our own packages come from this package's `package.json`, unless they are vendored. */
export async function readProjectVersions(vendor?: Vendor): Promise<ProjectVersions> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
  const { version, dependencies } = JSON.parse(text) as {
    readonly version: string
    readonly dependencies: { readonly farebox: string; readonly tsx: string }
  }
  const tools = { tsx: dependencies.tsx, ...COMPILER }
  if (vendor !== undefined) {
    return {
      dependencies: vendor.dependencies,
      devDependencies: { ...vendor.devDependencies, ...tools },
      source: 'vendor',
    }
  }
  return {
    dependencies: { farebox: dependencies.farebox },
    devDependencies: { '@farebox/cli': version, ...tools },
    source: 'registry',
  }
}
