// npm run pack: every package as npm would publish it, in one folder. `npm run pack -- --out <folder>`, default packed/.
//   --built   what was built before is packed as it is
//   --json    the packages for a program, and nothing else on stdout

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bundleRuntime } from '../packages/farebox/scripts/bundle.mjs'
import { checkPackedFiles, leftovers } from './check-packed-files.mjs'
import { build, Explained, root, tellFailure } from './prepare.mjs'
import { inColumns, kilobytes } from './table.mjs'

/** Published as a bundle, not file by file as it is compiled (decision 18). */
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
  const answers = await packCopies(packages, folder)
  const problems = packages.flatMap(({ path, manifest }) =>
    checkPackedFiles({
      path,
      manifest: publishedManifest(manifest),
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

/** Packages that are not private are published. */
function publishedPackages() {
  return ['packages', 'apps']
    .flatMap(part => readdirSync(join(root, part)).map(folder => join(root, part, folder)))
    .map(path => ({ path, manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true)
}

/** Packs a copy of each package, with the published manifest. */
async function packCopies(packages, folder) {
  const copies = mkdtempSync(join(tmpdir(), 'farebox-pack-'))
  try {
    for (const { path, manifest } of packages) {
      const copy = join(copies, basename(path))
      cpSync(path, copy, { recursive: true, filter: file => basename(file) !== 'node_modules' })
      if (manifest.name === BUNDLED) await addBundle(copy)
      writeFileSync(
        join(copy, 'package.json'),
        `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`,
      )
    }
    return await npmPack(
      packages.map(({ path }) => join(copies, basename(path))),
      folder,
    )
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
}

/** The bundle instead of each module, with the declarations in `dist`. */
async function addBundle(copy) {
  const [dist, bundle] = [join(copy, 'dist'), join(copy, 'bundle')]
  for (const file of readdirSync(dist, { recursive: true }))
    if (/\.js(?:\.map)?$/.test(file)) rmSync(join(dist, file))
  await bundleRuntime(bundle)
  cpSync(bundle, dist, { recursive: true })
  rmSync(bundle, { recursive: true })
}

/** Without the entries and conditions that resolve only in this repository: sources, and private modules. */
function publishedManifest(manifest) {
  const exports = Object.entries(manifest.exports)
    .filter(([name]) => name !== './src/*')
    .map(([name, target]) => [name, typeof target === 'string' ? target : withoutOwnConditions(target)])
  return { ...manifest, exports: Object.fromEntries(exports) }
}

function withoutOwnConditions(target) {
  return Object.fromEntries(
    Object.entries(target).filter(([condition]) => !condition.startsWith('@farebox/')),
  )
}

/** @returns {Promise<Map<string, { filename: string, files: { path: string, mode: number }[], size: number, unpackedSize: number }>>} */
async function npmPack(paths, folder) {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--ignore-scripts', `--pack-destination=${folder}`, ...paths],
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
