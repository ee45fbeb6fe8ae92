// npm run pack: every package as npm would publish it, in one folder. `npm run pack -- --out <folder>`, default packed/.
//   --built   what was built before is packed as it is
//   --json    the packages for a program, and nothing else on stdout

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bundleRuntime } from '../packages/farebox/scripts/bundle.mjs'
import { checkPackedFiles, leftovers } from './check-packed-files.mjs'
import { build, Explained, root, tellFailure } from './prepare.mjs'
import { inColumns, kilobytes } from './table.mjs'

/** Published as a bundle, not file by file as it is compiled (docs/decisions/0018). */
const BUNDLED = 'farebox'

/** npm names every file. */
const LONGEST_ANSWER_BYTES = 16_777_216

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await main()
  } catch (error) {
    tellFailure(error)
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'packed') },
      built: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const folder = resolve(values.out)
  const packed = await pack({ folder, built: values.built })
  process.stdout.write(values.json ? `${JSON.stringify(packed)}\n` : describe(packed, folder))
}

/**
 * Packs every package that is not private, checks what is in each tarball, and resolves to them. Throws where one is
 * not fit to be published.
 *
 * @param {{ folder: string, built?: boolean }} options `folder`: where the tarballs go, made where it is not there
 * @returns {Promise<{ name: string, version: string, file: string, files: number, packedBytes: number, unpackedBytes: number }[]>}
 */
export async function pack({ folder, built = false }) {
  const packages = publishedPackages()
  if (!built) await build()
  for (const { path } of packages) {
    for (const file of leftovers(path)) rmSync(file, { force: true })
  }
  mkdirSync(folder, { recursive: true })
  const [asCompiled, bundled] = [false, true].map(which =>
    packages.filter(({ manifest }) => (manifest.name === BUNDLED) === which).map(({ path }) => path),
  )
  const answers = new Map([...(await npmPack(asCompiled, folder)), ...(await packBundled(bundled, folder))])
  const problems = packages.flatMap(({ path, manifest }) =>
    checkPackedFiles({
      path,
      manifest,
      files: answers.get(manifest.name)?.files ?? [],
      bundled: manifest.name === BUNDLED,
    }),
  )
  if (problems.length > 0) throw new Explained(`not fit to be published\n  ${problems.join('\n  ')}`)
  return packages.map(({ manifest: { name, version } }) => {
    const { filename, files, size, unpackedSize } = answers.get(name)
    return {
      name,
      version,
      file: join(folder, filename),
      files: files.length,
      packedBytes: size,
      unpackedBytes: unpackedSize,
    }
  })
}

/** What is not private is published. */
function publishedPackages() {
  return readdirSync(join(root, 'packages'))
    .map(folder => join(root, 'packages', folder))
    .map(path => ({ path, manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true)
}

/** Packs a copy of what npm would take, the declarations in `dist` beside the bundle instead of each module. */
async function packBundled([path], folder) {
  const copy = mkdtempSync(join(tmpdir(), 'farebox-pack-'))
  try {
    const [{ files }] = (await npmPack([path], copy, ['--dry-run'])).values()
    for (const { path: file } of files) {
      if (!/^dist\/.*\.js(?:\.map)?$/.test(file)) cpSync(join(path, file), join(copy, file))
    }
    const bundle = join(copy, 'bundle')
    await bundleRuntime(bundle)
    cpSync(bundle, join(copy, 'dist'), { recursive: true })
    rmSync(bundle, { recursive: true })
    return await npmPack([copy], folder)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** @returns {Promise<Map<string, { filename: string, files: { path: string, mode: number }[], size: number, unpackedSize: number }>>} */
async function npmPack(paths, folder, words = []) {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--ignore-scripts', ...words, `--pack-destination=${folder}`, ...paths],
    { cwd: root, maxBuffer: LONGEST_ANSWER_BYTES },
  )
  return new Map(Object.values(JSON.parse(stdout)).map(answer => [answer.name, answer]))
}

function describe(packed, folder) {
  const rows = packed.map(({ name, version, files, packedBytes, unpackedBytes }) => [
    name,
    version,
    `${files} files`,
    kilobytes(packedBytes),
    kilobytes(unpackedBytes),
  ])
  return `${inColumns([['', '', '', 'packed', 'unpacked'], ...rows], { right: [2, 3, 4] })}\n  in ${folder}\n`
}
