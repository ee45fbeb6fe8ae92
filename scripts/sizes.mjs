// npm run sizes: what `npm install farebox` brings, why, and how soon it answers. Needs no network.
//   --built   what was built before is measured as it is

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { tsImport } from 'tsx/esm/api'
import { WHY } from './dependencies.mjs'
import { measureImport, measureStart } from './measure-start.mjs'
import { pack } from './pack.mjs'
import { Explained, root, tellFailure } from './prepare.mjs'
import { inColumns, kilobytes, megabytes } from './table.mjs'

const TIMES = 15
/** Smaller ones are counted together. */
const SHOWN_FROM_BYTES = 100_000

const place = mkdtempSync(join(tmpdir(), 'farebox-sizes-'))
try {
  const folder = join(place, 'project')
  mkdirSync(folder)
  const packages = await pack({ folder: join(place, 'packed'), built: process.argv.includes('--built') })
  await install(packages, folder)
  const installed = listInstalled(folder)
  refuseUnexplained(installed)
  process.stdout.write(describeSizes(packages, installed))
  process.stdout.write(await describeStarts(folder))
} catch (error) {
  tellFailure(error)
} finally {
  rmSync(place, { recursive: true, force: true })
}

/** Like a user, with our own registry in place of npm's. */
async function install(packages, folder) {
  const { startRegistry } = await tsImport('../e2e/stage/installed/registry.ts', import.meta.url)
  const registry = await startRegistry({ tarballs: packages.map(({ file }) => file) })
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    await promisify(execFile)('npm', ['install', 'farebox', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: place, npm_config_registry: registry.url },
    })
  } finally {
    await registry.stop()
  }
}

/** Every installed package with its size, the largest first. */
function listInstalled(folder) {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  return Object.keys(lock.packages)
    .map(path => {
      const {
        name,
        version,
        dependencies = {},
      } = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'))
      const [, container] = /([^/]+)\/node_modules\/(?:@[^/]+\/)?[^/]+$/.exec(path) ?? []
      const bytes = sizeOf(join(folder, path))
      return { name, version, container, dependencies: Object.keys(dependencies), bytes }
    })
    .sort((one, other) => other.bytes - one.bytes)
}

/** The size of its own files: nested packages are counted separately. */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.name !== 'node_modules')
    .map(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? sizeOf(path) : statSync(path).size
    })
    .reduce((sum, bytes) => sum + bytes, 0)
}

function refuseUnexplained(installed) {
  const problems = Object.entries(WHY).flatMap(([name, reasons]) => {
    const { dependencies = [] } = installed.find(one => one.name === name) ?? {}
    return [
      ...dependencies.filter(one => reasons[one] === undefined).map(one => `${name} needs ${one}: why?`),
      ...Object.keys(reasons)
        .filter(one => !dependencies.includes(one))
        .map(one => `${name} does not need ${one} any more`),
    ]
  })
  if (problems.length > 0) throw new Explained(`scripts/dependencies.mjs\n  ${problems.join('\n  ')}`)
}

function describeSizes(packages, installed) {
  const { packedBytes, unpackedBytes, version } = packages.find(({ name }) => name === 'farebox')
  const total = installed.reduce((sum, { bytes }) => sum + bytes, 0)
  const small = installed.filter(({ bytes }) => bytes < SHOWN_FROM_BYTES)
  const smallBytes = small.reduce((sum, { bytes }) => sum + bytes, 0)
  const summary = [
    ['packed', kilobytes(packedBytes)],
    ['unpacked', kilobytes(unpackedBytes)],
    ['packages installed', String(installed.length)],
    ['on disk', megabytes(total)],
  ]
  const rows = installed
    .filter(({ bytes }) => bytes >= SHOWN_FROM_BYTES)
    .map(one => [one.name, megabytes(one.bytes), whyOf(one, installed)])
  return [
    `\nnpm install farebox@${version}\n`,
    inColumns(summary, { right: [1] }),
    '\non disk, and why\n',
    inColumns([...rows, [`${small.length} smaller ones`, megabytes(smallBytes), '']], { right: [1] }),
  ].join('')
}

/** Its reason, or the package that depends on it. */
function whyOf({ name, container }, installed) {
  if (name === 'farebox') return 'the runtime itself, sources included'
  const reason = Object.values(WHY)
    .map(reasons => reasons[name])
    .find(one => one !== undefined)
  if (reason !== undefined) return reason
  // Nested packages belong to their container; binaries are optional dependencies, named after their package.
  const parent = installed.find(({ dependencies }) => dependencies.includes(name))?.name
  return `of ${container ?? parent ?? dirname(name).replace('@', '')}`
}

async function describeStarts(folder) {
  writeAgent(folder)
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: place,
    AGENT_WALLET_ADDRESS: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    SERVICE_DEV_MODE: 'false',
    FACILITATOR_SECRET: 'nobody-listens-there',
    FACILITATOR_URL: 'http://127.0.0.1:9',
  }
  const measured = { folder, environment, times: TIMES }
  const program = join(folder, 'node_modules', 'farebox', 'bin', 'farebox.js')
  const bare = await measureStart({ ...measured, words: ['bare.mjs'] })
  const start = await measureStart({ ...measured, words: [program, 'start', '--host', '127.0.0.1'] })
  const imported = await measureImport({ ...measured, specifier: 'farebox' })
  const row = (what, { wallMs, cpuMs }) => [what, `${wallMs.toFixed(0)} ms`, `${cpuMs.toFixed(0)} ms`]
  const rows = [
    ['', 'wall', 'CPU'],
    row('farebox start to the first /health: payments on, lmdb', start),
    row('the same of a bare node:http server', bare),
    row("import('farebox'); CPU with Node's own start", imported),
  ]
  return `\ncold start, median of ${TIMES}, Node ${process.versions.node}\n${inColumns(rows, { right: [1, 2] })}\n`
}

function writeAgent(folder) {
  const example = join(root, 'examples', 'first-agent', 'agent.json')
  writeFileSync(join(folder, 'agent.json'), readFileSync(example))
  writeFileSync(join(folder, 'handlers.mjs'), 'export default ({ text }) => ({ text: text.toUpperCase() })\n')
  writeFileSync(
    join(folder, 'bare.mjs'),
    "import { createServer } from 'node:http'\ncreateServer((_, response) => response.end('{}')).listen(process.env.PORT, '127.0.0.1')\n",
  )
}
