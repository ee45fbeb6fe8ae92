import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { packPackages, type PackedPackage } from './pack-packages.ts'
import { startNpmRegistry, type NpmRegistry } from './registry.ts'

/** A machine with Node and npm, and without this repository. */
export interface Outside {
  /** Empty at first; outside the repository, so that no parent folder has packages. */
  readonly folder: string
  /** Our packages as published. */
  readonly packages: readonly PackedPackage[]
  readonly registry: NpmRegistry
  /** The complete environment: an empty home, an empty cache, and an npm that knows only our registry. */
  readonly environment: { readonly [name: string]: string }
  /** Runs a program to its end: `npm`, `npx`, or any other in the `PATH`. */
  run(command: string, words: readonly string[], options?: RunOptions): Promise<Ended>
  strike(): Promise<void>
}

export interface RunOptions {
  /** Default: the folder. */
  readonly folder?: string
  /** Added to the environment. */
  readonly environment?: { readonly [name: string]: string }
}

/** The result of a program. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * Goes there: has the packages packed, starts the registry, makes the folders.
 *
 * @param options.published whether the registry has our packages; default true
 */
export async function goOutside({ published = true } = {}): Promise<Outside> {
  const place = await mkdtemp(join(tmpdir(), 'farebox-outside-'))
  const [folder, home] = [join(place, 'work'), join(place, 'home')]
  await Promise.all([folder, home].map(path => mkdir(path)))
  const packages = published ? await packPackages() : []
  const registry = await startNpmRegistry({ tarballs: packages.map(({ file }) => file) })
  const environment = {
    PATH: [dirname(process.execPath), ...foreignPaths()].join(delimiter),
    HOME: home,
    npm_config_registry: registry.url,
  }
  return {
    folder,
    packages,
    registry,
    environment,
    run: (command, words, options = {}) =>
      run(command, words, {
        cwd: options.folder ?? folder,
        env: { ...environment, ...options.environment },
      }),
    async strike() {
      await registry.stop()
      await rm(place, { recursive: true, force: true })
    },
  }
}

/** Without the folders that npm prepends when it runs our own scripts. */
function foreignPaths(): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter(path => !path.includes('node_modules'))
}

function run(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: { readonly [name: string]: string } },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, words, { ...options, maxBuffer: 64 * 1_048_576 }, (error, out, err) => {
      if (error === null) return resolve({ code: 0, out, err })
      if (typeof error.code === 'number') return resolve({ code: error.code, out, err })
      reject(error)
    })
    child.stdin?.end()
  })
}
