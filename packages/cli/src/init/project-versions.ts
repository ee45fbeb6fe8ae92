import { readFile } from 'node:fs/promises'

/** Exact versions of what a new project installs: those that this version was tested with. */
export interface ProjectVersions {
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
}

/** What the repository itself compiles with; a test holds them to its `package.json`. */
const COMPILER = { '@types/node': '20.19.25', typescript: '7.0.2' }

/** Reads them, our own from this package's `package.json`. */
export async function readProjectVersions(): Promise<ProjectVersions> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version, dependencies } = JSON.parse(text) as {
    readonly version: string
    readonly dependencies: { readonly farebox: string; readonly tsx: string }
  }
  return {
    dependencies: { farebox: dependencies.farebox },
    devDependencies: { '@farebox/cli': version, tsx: dependencies.tsx, ...COMPILER },
  }
}
