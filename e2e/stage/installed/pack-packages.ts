import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '@farebox/protocol/src/test-setup/until'

const root = fileURLToPath(new URL('../../..', import.meta.url))

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

/**
 * The packages that are not private, packed and checked as by `npm run pack`: once, by the first test file of a run
 * that needs them. The others wait for it.
 */
export async function packPackages(): Promise<readonly PackedPackage[]> {
  const folder = join(process.env['FAREBOX_TEST_FOLDER'] ?? '', 'packed')
  const list = join(folder, 'list.json')
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) await pack(folder, list)
  const packed = (await until(() => readFile(list, 'utf8').catch(() => undefined), 200)) as string
  return JSON.parse(packed) as readonly PackedPackage[]
}

async function pack(folder: string, list: string): Promise<void> {
  const words = [join(root, 'scripts', 'pack.mjs'), '--built', '--json', '--out', folder]
  // If it fails, the others get an empty list, and fail too.
  const { stdout } = await promisify(execFile)(process.execPath, words).catch(async (error: unknown) => {
    await writeFile(list, '[]')
    throw error
  })
  await writeFile(`${list}.new`, stdout)
  await rename(`${list}.new`, list)
}
