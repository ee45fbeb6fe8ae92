import { readFile } from 'node:fs/promises'
import type { Vendor } from '../vendor/vendor.ts'

/** What a new project installs: exact versions, those that this version was tested with. */
export interface ProjectVersions {
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
  /** Where our own packages come from: the registry, or tarballs in the project. */
  readonly source: 'registry' | 'vendor'
}

/** What the repository itself compiles with; a test holds them to its `package.json`. */
const COMPILER = { '@types/node': '20.19.25', typescript: '7.0.2' }

/** Reads them, our own from this package's `package.json` where they are not vendored. */
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
