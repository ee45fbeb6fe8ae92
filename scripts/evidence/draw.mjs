// Draws the pages of docs/ that are made only from docs/evidence.json: node scripts/evidence/draw.mjs

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Explained, root } from '../prepare.mjs'
import { ageOf } from './age.mjs'
import { drawSpeed } from './draw-speed.mjs'
import { formatPromises } from './format-promises.mjs'
import { formatReliability } from './format-reliability.mjs'
import { readRecords } from './record.mjs'

/** Each of `(root, records) => text`. */
const PAGES = {
  'docs/reliability.md': formatReliability,
  'docs/promises.md': formatPromises,
  'docs/speed.svg': drawSpeed,
}
/** Differs with every commit, so it is ignored when two pages are compared. */
const AGE = /; (?:[\d,]+ lines changed since|age not known)/g

/** Writes the pages. */
export function drawPages(root) {
  const records = readRecords(root)
  for (const [page, draw] of Object.entries(PAGES)) writeFileSync(join(root, page), draw(root, records))
}

/**
 * Throws if a page differs from the table, apart from the age of a record. Returns the number of records, and the names
 * of those that are old or of unknown age.
 */
export function checkEvidence(root) {
  const records = readRecords(root)
  for (const [page, draw] of Object.entries(PAGES)) {
    const committed = readFileSync(join(root, page), 'utf8')
    if (committed.replaceAll(AGE, '') !== draw(root, records).replaceAll(AGE, ''))
      throw new Explained(`${page} is not what docs/evidence.json says: npm run check -- --fix draws it`)
  }
  const aged = records.map(record => ({ name: record.name, ...ageOf(root, record) }))
  return {
    count: records.length,
    old: aged.filter(({ isOld }) => isOld).map(({ name }) => name),
    unknown: aged.filter(({ isKnown }) => !isKnown).map(({ name }) => name),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) drawPages(root)
