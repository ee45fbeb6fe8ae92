// Each fact has one writer. Each column of the table `agents` is written only by the files named here; tests may insert
// any rows.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Explained } from './prepare.mjs'

const SOURCES = 'packages/platform/src'
/** All columns without other writers: the listing status, and its basis. */
const WRITES_ALL = 'listing/change-listing.ts'
const WRITERS = {
  // The time of the next inspection; values that change with the status are written with that.
  'agents/inspect-soon.ts': ['next_refresh_at', 'look_since', 'look_failures'],
  'registry/inspect/take-agents.ts': ['next_refresh_at', 'looked_at'],
  'monitor/change-availability.ts': ['is_offline', 'badge_shown'],
  'owners/payment-problem.ts': ['payment_problem', 'payment_problem_since'],
  'listing/choose-category.ts': ['category'],
  'badges/change-badge.ts': ['badge', 'badge_shown'],
}

const WRITE = /\b(?:update|insert\s+into|delete\s+from|merge\s+into)\s+(?:only\s+)?agents\b([^`]*)/gi
const SET = /\bset\b(.*?)(?:\bwhere\b|\bfrom\b|\breturning\b|$)/is
const COLUMN = /(?:^|,)\s*\(?\s*([a-z_]+)\s*=/g

/**
 * Throws with each statement that writes a column of another file.
 *
 * @param {string} root
 * @returns {number} the number of statements that write to the table
 */
export function checkWriters(root) {
  const faults = []
  let count = 0
  for (const file of sources(join(root, SOURCES))) {
    const name = relative(join(root, SOURCES), file).split(sep).join('/')
    for (const [statement, rest] of readFileSync(file, 'utf8').matchAll(WRITE)) {
      count += 1
      if (name === WRITES_ALL || isAllowed(statement, rest, WRITERS[name] ?? [])) continue
      const [start] = statement.split('\n')
      faults.push(
        `${SOURCES}/${name}: "${start} …" is for ${WRITES_ALL} to write (scripts/check-writers.mjs)`,
      )
    }
  }
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  return count
}

/** Whether a statement changes only these columns. One that is assembled from parts may change any. */
function isAllowed(statement, rest, columns) {
  if (!/^update/i.test(statement)) return false
  const [, set] = SET.exec(rest) ?? []
  if (set === undefined || set.includes('${')) return false
  const written = [...set.matchAll(COLUMN)].map(([, column]) => column)
  return written.length > 0 && written.every(column => columns.includes(column))
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !/\.test\.ts$|[/\\]test-setup[/\\]/.test(file))
}
