// A package lists its exports: doors, which are promised to users and each have an example that compiles, and
// `internal/…`, for our other packages of the same version. All other modules are private: only tests, benchmarks and
// batteries import them, as `@farebox/<package>/src/<path>`.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { Explained, root, run } from './prepare.mjs'

/** The pages are used as built, here too: a bundler makes their styles and scripts. */
const WEB = 'apps/web'
const PRIVATE = './src/*'
/** Conditions that resolve only in this repository; `npm run pack` removes both. */
const PRIVATE_TARGETS = { '@farebox/source': './src/*.ts', '@farebox/built': './dist/*.js' }

const FOR_TESTS = /\.test\.ts$|\.test-setup\.ts$|\.child\.ts$|\/test-setup\//
const BUILT = /^(packages\/[^/]+)\/dist\//
/** Next to published sources, folders of this name contain test code. */
const TESTING = /^packages\/(?!farebox\/).*\/testing\//

const IMPORT =
  /(?:from|import|import\.meta\.resolve|= )\s*\(?\s*['"]((?:@farebox\/[a-z-]+|farebox)(?:\/[\w./-]+)?)['"]/g
const RE_EXPORT = /^export (?:type )?(?:\{[^}]*\}|\*) from '(\.[^']+)'/gm
const COMMENT = /\/\*\*[\s\S]*?\*\//g
const EXAMPLE = /@example[^\n]*\n\s*\* ```ts\n([\s\S]*?)\n\s*\* ```/g

/**
 * Throws with every problem in the packages' exports or in their examples. The packages must be built.
 *
 * @returns {Promise<{ doors: number, internals: number, examples: number }>}
 */
export async function checkDoors() {
  const packages = [...readdirSync(join(root, 'packages')).map(name => `packages/${name}`), WEB].map(
    readPackage,
  )
  const faults = packages.flatMap(checkEntries)
  const importers = findImporters(packages, faults)
  // A missing file has no further problems.
  const entries = packages
    .flatMap(one => one.entries)
    .filter(({ source }) => source === undefined || existsSync(join(root, source)))
  const internals = entries.filter(({ isInternal }) => isInternal)
  const doors = entries.filter(({ isInternal, source }) => !isInternal && source !== undefined)
  for (const { specifier, file } of internals)
    if (!importers.has(specifier))
      faults.push(`${file}: exports ${specifier}, which no other package imports`)
  const examples = doors.flatMap(door => findExamples(door, faults))
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  await compile(examples)
  return { doors: doors.length, internals: internals.length, examples: examples.length }
}

/** A package with the entries of its `exports`; `source` is undefined where an entry names a file that is not code. */
function readPackage(home) {
  const file = `${home}/package.json`
  const { name, exports } = JSON.parse(readFileSync(join(root, file), 'utf8'))
  const entries = Object.entries(exports)
    .filter(([key]) => key !== PRIVATE)
    .map(([key, target]) => ({
      file,
      specifier: posix.join(name, key),
      isInternal: key.startsWith('./internal/'),
      path: key.replace(/^\.\/(?:internal\/)?/, ''),
      target,
      source:
        typeof target === 'string'
          ? undefined
          : posix.join(home, target['@farebox/source'] ?? builtFrom(target)),
    }))
  return { home, file, name, exports, entries }
}

/** The source of an entry without its own source here. */
function builtFrom({ default: built }) {
  return built.replace('./dist/', './src/').replace(/\.js$/, '.ts')
}

/** An entry is one module, whose path follows from its name. */
function checkEntries({ home, file, exports, entries }) {
  const faults = []
  if (home !== WEB && JSON.stringify(exports[PRIVATE]) !== JSON.stringify(PRIVATE_TARGETS))
    faults.push(`${file}: "${PRIVATE}" must be ${JSON.stringify(PRIVATE_TARGETS)}`)
  for (const { specifier, path, target, source } of entries) {
    const found = source ?? posix.join(home, target)
    if (found.includes('*')) faults.push(`${file}: ${specifier} is a pattern: list each module`)
    else if (!existsSync(join(root, found)))
      faults.push(`${file}: exports ${specifier}: there is no ${found}`)
    else if (source !== undefined) {
      const module = posix.relative(`${home}/src`, source).replace(/\.ts$/, '')
      if (module !== path && module !== posix.join(path, 'index'))
        faults.push(`${file}: ${specifier} is not named for its module, ${module}`)
      if (target.types !== `./dist/${module}.d.ts` || target.default !== `./dist/${module}.js`)
        faults.push(`${file}: ${specifier} must be ${module} in dist as well`)
    }
  }
  return faults
}

/** Specifiers that product code of another package imports. Records each unlisted one. */
function findImporters(packages, faults) {
  const listed = new Set(packages.flatMap(({ entries }) => entries.map(({ specifier }) => specifier)))
  const imported = new Set()
  for (const file of productFiles(packages)) {
    const own = packages.find(({ home }) => file.startsWith(`${home}/`))?.name
    for (const [, specifier] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      if (own !== undefined && (specifier === own || specifier.startsWith(`${own}/`))) continue
      imported.add(specifier)
      if (!listed.has(specifier)) faults.push(`${file}: ${specifier} is not exported`)
    }
  }
  return imported
}

/** Sources that are published or run, and the declarations made from them, to which the compiler adds imports. */
function productFiles(packages) {
  const folders = [
    ...packages.flatMap(({ home }) => ['src', 'dist'].map(part => [home, part])),
    ...readdirSync(join(root, 'apps'))
      .map(name => `apps/${name}`)
      .filter(home => home !== WEB)
      .map(home => [home, 'src']),
    ['examples'],
  ]
  return folders
    .flatMap(parts => filesIn(join(root, ...parts)))
    .map(file => relative(root, file).split(sep).join('/'))
    .filter(file => !FOR_TESTS.test(file) && !TESTING.test(file))
    .filter(file => (BUILT.test(file) ? isBuiltDeclaration(file) : /\.(?:m?ts|tsx)$/.test(file)))
}

/** The compiler leaves the output of deleted sources behind. */
function isBuiltDeclaration(file) {
  return (
    file.endsWith('.d.ts') &&
    existsSync(join(root, file.replace(BUILT, '$1/src/').replace(/\.d\.ts$/, '.ts')))
  )
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(entry => join(entry.parentPath, entry.name))
}

/** Examples in the documentation of a door's module, or of modules whose exports it passes on. */
function findExamples({ specifier, source }, faults) {
  const text = readFileSync(join(root, source), 'utf8')
  const passedOn = [...text.matchAll(RE_EXPORT)].map(([, path]) => posix.join(dirname(source), path))
  const examples = [source, ...passedOn].flatMap(file => examplesIn(file, file === source ? faults : []))
  if (!examples.some(({ code }) => code.includes(`from '${specifier}'`)))
    faults.push(`${source}: no documentation has an @example in \`\`\`ts that imports from '${specifier}'`)
  for (const { line, code } of examples)
    if (code.includes('/internal/'))
      faults.push(`${source}:${line}: an example must not show what is internal`)
  return examples
}

function examplesIn(source, faults) {
  const text = readFileSync(join(root, source), 'utf8')
  const lineAt = index => text.slice(0, index).split('\n').length
  return [...text.matchAll(COMMENT)].flatMap(comment => {
    const examples = [...comment[0].matchAll(EXAMPLE)]
    if (comment[0].split('@example').length - 1 !== examples.length)
      faults.push(`${source}:${lineAt(comment.index)}: an @example is not one block of \`\`\`ts`)
    return examples.map(example => ({
      source,
      line: lineAt(comment.index + example.index + example[0].indexOf('```ts')) + 1,
      code: example[1].replaceAll(/^\s*\* ?/gm, ''),
    }))
  })
}

/**
 * Type-checks them as a user's project would, with the packages' declarations. Errors have the lines of the sources.
 */
async function compile(examples) {
  const folder = join(root, 'dist', 'doors')
  rmSync(folder, { recursive: true, force: true })
  for (const { source, line, code } of examples) {
    const file = join(folder, source.replace(/\.ts$/, ''), `${line}.ts`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '\n'.repeat(line - 1) + code)
  }
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    types: ['node'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    moduleDetection: 'force',
    skipLibCheck: true,
    noEmit: true,
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['packages'] }))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    await run(process.execPath, [tsc, '--pretty', 'false', '-p', folder])
  } catch (error) {
    const told = error.message.replaceAll(
      /(?:dist\/doors\/)?(packages\/\S+?)\/\d+\.ts\((\d+),\d+\)/g,
      '$1.ts:$2',
    )
    throw new Explained(`examples that do not compile\n${told}`, { cause: error })
  }
}
