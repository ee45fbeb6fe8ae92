// Every rule that code, tests or documents cite is defined: in a row of a table that begins with its id. Every decision that
// they cite, as `decision 47`, is an entry of a page in docs/decisions, and in the table of its README.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './list-files.mjs'
import { Explained } from './prepare.mjs'

const DEFINED_IN = ['docs/rules.md', 'docs/facilitator-rules.md', 'ARCHITECTURE.md']
const CITED =
  /\b(?:(?:PAY|IDM|DDL|VAL|HTTP|OPS|REG|SSRF|HLT|WEB|CLI|PERM)-\d{2}|D(?:41a|[1-9]\d?)|I[1-8])\b(?![.\-/])/g
const DEFINED = /^\| (?:\*\*)?([A-Z]+\d*a?(?:-\d{2})?)(?:\*\*)? \|/gm
const DECISIONS = 'docs/decisions/'
const CITED_DECISION = /\bdecisions?(?:\s+(?:(?:\*|\/\/|--)\s+)?|\/0*)(\d+)\b/g
/** In code only comments and strings are read: `D3` may be a variable's name. */
const TEXT = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/**
 * Throws with each citation of a rule that no table defines.
 *
 * @param {string} root
 * @returns {number} the number of cited rules
 */
export function checkRules(root) {
  const read = file => readFileSync(join(root, file), 'utf8')
  const defined = new Set(DEFINED_IN.flatMap(file => [...read(file).matchAll(DEFINED)].map(([, id]) => id)))
  const cited = new Set()
  const faults = decisionFaults(root, read)
  for (const file of listFiles(root, '*.ts', '*.md')) {
    const text = read(file)
    const parts = file.endsWith('.ts') ? [...text.matchAll(TEXT)].map(([part]) => part) : [text]
    for (const id of parts.flatMap(part => part.match(CITED) ?? [])) {
      cited.add(id)
      if (!defined.has(id)) faults.push(`${file}: ${id} is defined in none of ${DEFINED_IN.join(', ')}`)
    }
  }
  if (faults.length > 0) throw new Explained([...new Set(faults)].join('\n'))
  return cited.size
}

/** Decisions that are cited and missing, or present and not in the table. */
function decisionFaults(root, read) {
  const pages = listFiles(root, `${DECISIONS}*.md`)
  const entries = new Map(
    pages.flatMap(page => [...read(page).matchAll(/<a id="(\d+)">/g)].map(([, number]) => [number, page])),
  )
  const table = read(`${DECISIONS}README.md`)
  const missing = [...entries]
    .map(([number, page]) => `[${number}](${page.slice(DECISIONS.length)}#${number})`)
    .filter(link => !table.includes(link))
    .map(link => `${DECISIONS}README.md: its table lacks ${link}`)
  const unknown = listFiles(root, '*.ts', '*.tsx', '*.mjs', '*.sql', '*.sol', '*.md').flatMap(file =>
    [...read(file).matchAll(CITED_DECISION)]
      .filter(([words, number]) => words.includes('/') || !entries.has(number))
      .map(([words]) => `${file}: "${words}" is no entry in ${DECISIONS}; cite it as "decision 47"`),
  )
  return [...missing, ...unknown]
}
