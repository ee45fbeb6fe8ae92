// The files that must be in a published package, and those that must not.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { root } from './prepare.mjs'

/** Tests, their fixtures and the programs they start. */
const FOR_TESTS_ALONE = /^(?:dist|src)\/.*(?:\.test\.|\.test-setup\.|\.child\.|\.snapshot\.|\/test-setup\/)/

const COMPILED = /(?:\.d\.ts|\.js)(?:\.map)?$/

/**
 * The problems of a tarball's files, one sentence each.
 *
 * @param {{ path: string, manifest: object, files: { path: string, mode: number }[], bundled?: boolean }} packed
 *   `path`: the package's folder; `bundled`: only the declarations of its modules are separate files
 * @returns {string[]}
 */
export function checkPackedFiles({ path, manifest, files, bundled = false }) {
  const modes = new Map(files.map(file => [file.path, file.mode]))
  const has = file => modes.has(file)
  const bins = Object.values(manifest.bin ?? {}).map(withoutDot)
  return [
    ...files.filter(file => FOR_TESTS_ALONE.test(file.path)).map(file => `${file.path}: is for tests alone`),
    ...['README.md', 'LICENSE', 'package.json'].filter(file => !has(file)).map(file => `${file}: is missing`),
    ...(has('LICENSE') && !sameAsRoot(path, 'LICENSE') ? ['LICENSE: is not the one of the repository'] : []),
    ...bins.filter(file => !has(file)).map(file => `${file}: the command is missing`),
    ...bins
      .filter(file => has(file) && (modes.get(file) & 0o111) === 0)
      .map(file => `${file}: is not executable`),
    ...targetsOf(manifest.exports)
      .filter(target => !files.some(file => matches(target, file.path)))
      .map(target => `${target}: is exported, and is not there`),
    ...compiledOf(files, bundled ? '.d.ts' : '.js')
      .filter(file => !has(file))
      .map(file => `${file}: is not there: what is packed was not built`),
  ].map(problem => `${manifest.name}  ${problem}`)
}

/** Files in `dist` whose source was deleted: the compiler leaves them behind, and a package must not contain them. */
export function leftovers(path) {
  const dist = join(path, 'dist')
  if (!existsSync(dist)) return []
  return (
    readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && COMPILED.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name))
      // A browser bundle has many sources.
      .filter(file => relative(dist, file).split(sep)[0] !== 'client')
      .filter(
        file => !['.ts', '.tsx'].some(ending => existsSync(sourceOf(path, relative(dist, file), ending))),
      )
  )
}

function sourceOf(path, built, ending) {
  return join(path, 'src', built.replace(COMPILED, ending))
}

/** The compiled output of each source must be packed with it. */
function compiledOf(files, ending) {
  return files
    .filter(({ path }) => /^src\/.*(?<!\.d)\.ts$/.test(path))
    .map(({ path }) => path.replace(/^src/, 'dist').replace(/\.ts$/, ending))
}

function targetsOf(exports) {
  if (typeof exports === 'string') return [withoutDot(exports)]
  return Object.values(exports ?? {}).flatMap(targetsOf)
}

function matches(target, file) {
  const [before, after] = target.split('*')
  return after === undefined ? file === target : file.startsWith(before) && file.endsWith(after)
}

function sameAsRoot(path, file) {
  return readFileSync(join(path, file), 'utf8') === readFileSync(join(root, file), 'utf8')
}

function withoutDot(path) {
  return path.replace(/^\.\//, '')
}
