// npm run release: publishes every package that is not private, those first that others need.
//   --dry-run      everything but the publication; needs no network and no account
//   --provenance   with a statement of where it was built, as the release workflow can make it

import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { createSteps } from './steps.mjs'
import { pack } from './pack.mjs'
import { Explained, root, tellFailure } from './prepare.mjs'

const steps = createSteps()
try {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      provenance: { type: 'boolean', default: false },
    },
  })
  await release({ isDry: values['dry-run'], hasProvenance: values.provenance })
} catch (error) {
  tellFailure(error)
}

async function release({ isDry, hasProvenance }) {
  const manifests = readManifests()
  const version = await steps.step(
    'release',
    async () => checkRelease(manifests, hasProvenance),
    text => ({ text }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'farebox-release-'))
  try {
    const packed = await steps.step(
      'packed',
      () => pack({ folder }),
      ({ length }) => ({ text: `${length} packages` }),
    )
    for (const { name } of inOrder(manifests)) {
      const { file } = packed.find(one => one.name === name)
      await steps.step(
        isDry ? 'would go' : 'published',
        () => publish(file, { isDry, hasProvenance }),
        () => ({
          text: `${name}@${version}`,
        }),
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readManifests() {
  return ['packages', 'apps']
    .flatMap(part => readdirSync(join(root, part)).map(folder => join(root, part, folder, 'package.json')))
    .map(file => JSON.parse(readFileSync(file, 'utf8')))
    .filter(({ private: isPrivate }) => isPrivate !== true)
}

/**
 * All packages have one version, in their dependencies on each other too, and an entry in the changelog. The workflow
 * that builds them writes its own location into them: no address is stored here that another party could take over.
 */
function checkRelease(manifests, hasProvenance) {
  const [{ version }] = manifests
  const problems = manifests.flatMap(manifest => [
    ...(manifest.version === version
      ? []
      : [`${manifest.name} is ${manifest.version}, others are ${version}`]),
    ...['dependencies', 'devDependencies', 'peerDependencies'].flatMap(section =>
      Object.entries(manifest[section] ?? {})
        .filter(([name, wanted]) => manifests.some(one => one.name === name) && wanted !== version)
        .map(([name, wanted]) => `${manifest.name} asks for ${name} ${wanted}, this release is ${version}`),
    ),
    ...[
      'description',
      'license',
      'engines',
      'files',
      'publishConfig',
      ...(hasProvenance ? ['repository'] : []),
    ]
      .filter(field => manifest[field] === undefined)
      .map(field => `${manifest.name} has no ${field}`),
  ])
  if (!readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}\n`))
    problems.push(`CHANGELOG.md has no entry "## ${version}"`)
  if (problems.length > 0) throw new Explained(`not fit for a release\n  ${problems.join('\n  ')}`)
  return version
}

/** Dependencies come first: a package cannot be installed before its dependencies are published. */
function inOrder(manifests) {
  const ordered = []
  const add = manifest => {
    if (manifest === undefined || ordered.includes(manifest)) return
    for (const name of Object.keys(manifest.dependencies ?? {})) add(manifests.find(one => one.name === name))
    ordered.push(manifest)
  }
  manifests.forEach(add)
  return ordered
}

/** A dry run sends no request to the registry. */
async function publish(file, { isDry, hasProvenance }) {
  const words = ['publish', file, '--ignore-scripts', ...(isDry ? ['--dry-run', '--offline'] : [])]
  if (hasProvenance) words.push('--provenance')
  await promisify(execFile)('npm', words, { cwd: root })
}
