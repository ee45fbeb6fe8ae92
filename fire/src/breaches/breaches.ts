import { readFileSync } from 'node:fs'
import type { Edit } from '../edits/edit.ts'
import { PROMISE_NAMES, type PromiseName } from './promises.ts'

/** A deliberate breach of a promise in our own code, and the ordinary test that must not let it pass. */
export interface Breach {
  /** `nonce-claim-removed` */
  readonly name: string
  /** The promises it breaks; at least one. */
  readonly promises: readonly PromiseName[]
  /** What is broken, for a person. */
  readonly breaks: string
  readonly edits: readonly Edit[]
  /** A file of the ordinary suites, by its package and its name: `farebox/pipeline.test.ts`. */
  readonly test: string
  /** Runs the tests alone whose names match: for files that take long. A regular expression. */
  readonly only?: string
}

/** The files of `list`, by what their breaches are about. */
const LISTS = [
  'one-payment-one-job',
  'saved-before-money',
  'failure-is-free',
  'never-for-free',
  'untrusted-callers',
  'documented-answers',
  'runs-of-flows',
]

/** Every breach. */
export const BREACHES: readonly Breach[] = LISTS.flatMap(list => {
  const [, ...blocks] = readFileSync(new URL(`list/${list}.diff`, import.meta.url), 'utf8')
    .trim()
    .split('\n\n')
  return blocks.map(readBreach)
})

/** A block: `name (promises): what is broken`, `test file: name of the tests`, and edits as in a diff. */
function readBreach(block: string): Breach {
  const [head = '', tests = '', ...lines] = block.split('\n')
  const [, name = '', promises = '', breaks = ''] = /^(\S+) \(([^)]*)\): (.*)$/.exec(head) ?? []
  const broken = promises.split(' ')
  const [test = '', only] = tests.split(/: (.*)/)
  const edits: { in: string; find: string[]; replace: string[] }[] = []
  for (const line of lines) {
    if (line.startsWith('@@ ')) edits.push({ in: line.slice(3), find: [], replace: [] })
    else edits.at(-1)?.[line.startsWith('-') ? 'find' : 'replace'].push(line.slice(2))
  }
  return {
    name,
    promises: PROMISE_NAMES.filter(promise => broken.includes(promise)),
    breaks,
    edits: edits.map(({ find, replace, ...edit }) => ({
      ...edit,
      find: find.join('\n'),
      replace: replace.join('\n'),
    })),
    test,
    ...(only !== undefined && { only }),
  }
}
