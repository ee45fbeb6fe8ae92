// How much the code has changed since a record was measured.

import { execFileSync } from 'node:child_process'

const OLD_DAYS = 14
const OLD_LINES = 10_000
const DAY_MS = 86_400_000

/**
 * Returns `{ isKnown, isOld, changed }`: `changed` counts the lines added and removed in the record's packages between
 * its commit and the one checked out. A record is old after 10,000 such lines, or after any such line where the commit
 * checked out is more than 14 days later than the record. In a clone without the record's commit `isKnown` is false.
 */
export function ageOf(root, { commit, date, packages }) {
  try {
    const git = (...words) =>
      execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const numbers = git('diff', '--numstat', `${commit}..HEAD`, '--', ...packages)
    const changed = [...numbers.matchAll(/^(\d+)\t(\d+)/gm)].reduce(
      (sum, [, added, removed]) => sum + Number(added) + Number(removed),
      0,
    )
    const days = (Date.parse(git('log', '-1', '--format=%cI')) - Date.parse(date)) / DAY_MS
    return { isKnown: true, isOld: changed > OLD_LINES || (days > OLD_DAYS && changed > 0), changed }
  } catch {
    return { isKnown: false, isOld: false, changed: 0 }
  }
}

/** `Measured at 0a1b2c3d, 2026-11-21; 12,345 lines changed since`; the lines only if the record is old. */
export function describeMeasured(root, record) {
  const { isKnown, isOld, changed } = ageOf(root, record)
  const old = isOld ? `; ${changed.toLocaleString('en')} lines changed since` : ''
  const begins = record.imported ? 'Imported from the page committed at' : 'Measured at'
  return `${begins} ${record.commit.slice(0, 8)}, ${record.date}${isKnown ? old : '; age not known'}`
}
