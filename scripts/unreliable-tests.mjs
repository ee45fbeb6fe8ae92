// Tests that are known to fail now and then. Such a failure is printed and does not make a run fail. Each entry names
// the file, the whole title, the date it was listed and the reason; `npm run check` fails once an entry is fourteen
// days old.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LONGEST_DAYS = 14
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * The list, each entry checked.
 *
 * @param {string} root
 * @returns {readonly { file: string, title: string, since: string, reason: string }[]}
 * @throws Error with the first entry that is incomplete, or whose file does not exist
 */
export function unreliableTests(root) {
  const entries = JSON.parse(readFileSync(join(root, 'scripts', 'unreliable-tests.json'), 'utf8'))
  for (const [index, entry] of entries.entries()) {
    const place = `scripts/unreliable-tests.json, entry ${index + 1}`
    for (const key of ['file', 'title', 'since', 'reason'])
      if (typeof entry[key] !== 'string' || entry[key] === '') throw new Error(`${place}: ${key} is missing`)
    if (!/^\d{4}-\d{2}-\d{2}$/.test(entry.since) || Number.isNaN(Date.parse(entry.since)))
      throw new Error(`${place}: since: must be a date like 2026-11-27, got ${entry.since}`)
    if (!existsSync(join(root, entry.file))) throw new Error(`${place}: ${entry.file} does not exist`)
  }
  return entries
}

/**
 * Fails if an entry has been listed for too long. Resolves to the number of entries.
 *
 * @param {string} root
 * @param {number} now milliseconds
 */
export function checkUnreliable(root, now = Date.now()) {
  const entries = unreliableTests(root)
  const old = entries.find(({ since }) => now - Date.parse(since) > LONGEST_DAYS * DAY_MS)
  if (old !== undefined)
    throw new Error(
      `${old.file} "${old.title}" has been listed as unreliable since ${old.since}, longer than ${LONGEST_DAYS} days: fix or remove it`,
    )
  return entries.length
}
