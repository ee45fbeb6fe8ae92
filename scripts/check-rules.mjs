// Every rule that code, tests or documents cite is defined: in a row of a table that begins with its id.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Explained } from './prepare.mjs'

const DEFINED_IN = ['docs/rules.md', 'docs/facilitator-rules.md', 'ARCHITECTURE.md']
const CITED =
  /\b(?:(?:PAY|IDM|DDL|VAL|HTTP|OPS|REG|SSRF|HLT|WEB|CLI|PERM)-\d{2}|D(?:41a|[1-9]\d?)|I[1-8])\b(?![.\-/])/g
const DEFINED = /^\| (?:\*\*)?([A-Z]+\d*a?(?:-\d{2})?)(?:\*\*)? \|/gm
/** Of code only comments and strings are read: `D3` may be a variable's name. */
const TEXT = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/**
 * Throws with each citation of a rule that no table defines.
 *
 * @param {string} root
 * @returns {number} how many rules are cited
 */
export function checkRules(root) {
  const read = file => readFileSync(join(root, file), 'utf8')
  const defined = new Set(DEFINED_IN.flatMap(file => [...read(file).matchAll(DEFINED)].map(([, id]) => id)))
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.md'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  const cited = new Set()
  const faults = []
  for (const file of files.split('\n').filter(name => name !== '' && existsSync(join(root, name)))) {
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
