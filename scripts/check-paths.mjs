// Every path of this repository that a document names is there; a name without folders is a file that is somewhere.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { Explained } from './prepare.mjs'

const FOLDERS = /^(?:packages|apps|docs|e2e|examples|bench|fire|scripts)\//
const NAMED = /`((?:[\w@.-]+\/)*[\w.-]+(?:\.(?:ts|mjs|sql|sol)|\/))`/g

/**
 * Throws naming each path that is not there.
 *
 * @param {string} root
 * @returns {number} how many paths are named
 */
export function checkPaths(root) {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  })
    .trim()
    .split('\n')
  const known = new Set(files.flatMap(file => [file, ...foldersOf(file)]))
  const faults = []
  let count = 0
  for (const document of [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'README.md',
    ...listDocs(root),
  ]) {
    for (const [, path] of readFileSync(join(root, document), 'utf8').matchAll(NAMED)) {
      if (path.endsWith('/') && !FOLDERS.test(path)) continue
      count += 1
      const isThere = FOLDERS.test(path)
        ? known.has(path)
        : files.some(file => `/${file}`.endsWith(`/${path}`))
      if (!isThere && !OF_USERS.has(path)) faults.push(`${document}: ${path} is not there`)
    }
  }
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  return count
}

/** Files of a user's project. */
const OF_USERS = new Set(['handlers.js', 'call.ts', 'agent.d.ts'])

/** Without the page of a dated record, which names files as they were then. */
function listDocs(root) {
  return readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md') && name !== 'promises.md')
    .map(name => `docs/${name}`)
}

function foldersOf(file) {
  const parts = file.split('/')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
