// The table of measurements, with date and commit: docs/evidence.json. One record per name.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The table, from the root of the clone. */
const TABLE = 'docs/evidence.json'
/** Files that a run with --write changes itself; several runs may be written before they are committed. */
const WRITTEN = [TABLE, 'docs/reliability.md', 'docs/promises.md', 'docs/speed.svg']

/**
 * A record is `{ name, commit, date, form, command, machine, seconds, seed, lines, findings, packages, does }`:
 * `name` as `fire/storms`, `commit` of 40 hexadecimal digits, `date` as `2026-11-21` (UTC), `form` `full` or `small`,
 * `lines` of `{ test, reached, target, ok }`, `findings` their number, `packages` the folders whose later changes make
 * the record old, `does` (optional) one sentence about what was done. `imported` marks a record that was taken from a
 * page, with the commit and the date of that page. Returns all records, sorted by name.
 */
export function readRecords(root) {
  const file = join(root, TABLE)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).records : []
}

/**
 * The commit that is checked out, read before a measurement begins; undefined if files differ from it, because the
 * measured code would not be the commit.
 */
export function readCommit(root) {
  const changed = git(root, 'status', '--porcelain', '--', '.', ...WRITTEN.map(path => `:(exclude)${path}`))
  return changed === '' ? git(root, 'rev-parse', 'HEAD').trim() : undefined
}

/** Writes a record in place of the previous one of its name, with today's date. */
export function writeRecord(root, record) {
  const { name, ...rest } = record
  const dated = { name, ...rest, date: new Date().toISOString().slice(0, 10) }
  const others = readRecords(root).filter(other => other.name !== name)
  const records = [...others, dated].sort((a, b) => (a.name < b.name ? -1 : 1))
  const file = join(root, TABLE)
  const next = `${file}.${process.pid}`
  writeFileSync(next, `{"records":[\n${records.map(formatRecord).join(',\n')}\n]}\n`)
  renameSync(next, file)
}

/** JSON with a row for each line of the record, so that a change of one shows as one. */
function formatRecord({ lines, ...rest }) {
  const rows = lines.map(line => JSON.stringify(line)).join(',\n')
  return `${JSON.stringify(rest).slice(0, -1)},"lines":[\n${rows}\n]}`
}

function git(root, ...words) {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' })
}
