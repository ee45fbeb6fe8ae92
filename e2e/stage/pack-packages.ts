import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A package as npm would publish it. */
export interface PackedPackage {
  readonly name: string
  readonly version: string
  /** The tarball. */
  readonly file: string
  readonly files: number
  readonly packedBytes: number
  readonly unpackedBytes: number
}

/** Packs what was built, as `npm run pack` does: every package that is not private, each checked. */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  const words = [join(root, 'scripts', 'pack.mjs'), '--built', '--json', '--out', folder]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return JSON.parse(stdout) as readonly PackedPackage[]
}
