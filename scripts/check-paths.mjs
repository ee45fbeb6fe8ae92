// Every repository path in a document exists; a name without folders is a file in any folder. Links between documents
// lead to a file, and to a heading or an anchor in it.

import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { listFiles } from './list-files.mjs'
import { Explained } from './prepare.mjs'

const FOLDERS = /^(?:packages|apps|docs|e2e|examples|bench|fire|scripts)\//
const LINK = /\]\(([^\s()#:]*)(?:#([^\s()]+))?\)/g
const NAMED = /`((?:[\w@.-]+\/)*[\w.-]+(?:\.(?:ts|mjs|sql|sol)|\/))`/g

/**
 * Throws with each path that does not exist.
 *
 * @param {string} root
 * @returns {number} the number of paths
 */
export function checkPaths(root) {
  const files = listFiles(root)
  const known = new Set(files.flatMap(file => [file, ...foldersOf(file)]))
  const faults = []
  let count = 0
  const read = file => readFileSync(join(root, file), 'utf8')
  // Without the page of dated records, whose paths are from the time of the record.
  const documents = files.filter(
    file => /^(?:docs\/.*|[^/]*)\.md$/.test(file) && !/^(?:docs\/promises|CHANGELOG)\.md$/.test(file),
  )
  for (const document of documents) {
    for (const [, path, anchor] of read(document).matchAll(LINK)) {
      const target = path === '' ? document : normalize(join(dirname(document), path))
      count += 1
      if (!known.has(target) && !known.has(`${target}/`)) faults.push(`${document}: ${path} is not there`)
      else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor))
        faults.push(`${document}: ${target} has no #${anchor}`)
    }
    for (const [, path] of read(document).matchAll(NAMED)) {
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

/** The link targets of a document: its anchors, and its headings as GitHub names them. */
function anchorsOf(text) {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)])
}

function foldersOf(file) {
  const parts = file.split('/')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
