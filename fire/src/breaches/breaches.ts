import { readdirSync, readFileSync } from 'node:fs'
import type { Edit } from '../edits/edit.ts'

/** The promises of Farebox and the invariants of its money, as worded in the table of breaches. */
export const PROMISES: { readonly [name: string]: string } = {
  P1: 'One signed payment buys at most one job, however many replicas, retries or attackers.',
  P2: 'Before money can move, the response is saved; ask again with the same job_id and you get it.',
  P3: 'A 400, 402, 408 or 500 means: not charged, and never will be for that attempt. While money may still move the answer is 503 pending.',
  P4: 'An agent never works for free by mistake.',
  P5: "Nothing an agent's owner writes or serves runs code in a browser or reaches the inside network.",
  P6: 'Whatever bytes arrive, the answer is one of the documented ones.',
  I1: 'One authorization pays for at most one job.',
  I2: 'One job_id moves money at most once while its response is kept.',
  I3: 'Output leaves the agent only after its transfer is proven in a block.',
  I4: 'If money moved for a job, its exact response can be had for ten minutes.',
  I5: '400, 402, 408 and 500 mean that no money moved and none can.',
  I6: 'A handler runs once for a job_id, unless the process that ran it died.',
  I7: "The facilitator's ledger is the chain, row by row.",
  I8: 'Nothing unauthenticated can create, block, read or evict a job.',
  F1: 'A job of a run has at most one payment that may be charged; a second one takes proof that the first cannot be, or was.',
  F2: 'A run never comes to more than its limit, and nothing is sent for another price or payee than was signed.',
  F3: 'A step of a run begins when all that it takes has come, and not at all where that does not come.',
  F4: 'A signature is kept exactly as long as it may be sent.',
}

/** A deliberate breach of a promise in our own code, and the ordinary test that must detect it. */
export interface Breach {
  /** `nonce-claim-removed` */
  readonly name: string
  /** The promises it breaks; at least one. */
  readonly promises: readonly string[]
  /** The broken behaviour, in words. */
  readonly breaks: string
  readonly edits: readonly Edit[]
  /** A file of the ordinary suites, by its package and its name: `farebox/pipeline.test.ts`. */
  readonly test: string
  /** Runs only the tests whose names match, for files that take long. A regular expression. */
  readonly only?: string
}

const LISTS = new URL('list/', import.meta.url)

/** Every breach, from the files of `list`. */
export const BREACHES: readonly Breach[] = readdirSync(LISTS)
  .sort()
  .flatMap(file => {
    const [, ...blocks] = readFileSync(new URL(file, LISTS), 'utf8').trim().split('\n\n')
    return blocks.map(readBreach)
  })

/** A block: `name (promises): the broken behaviour`, `test file: name of the tests`, and edits as in a diff. */
function readBreach(block: string): Breach {
  const [head = '', tests = '', ...lines] = block.split('\n')
  const [, name = '', promises = '', breaks = ''] = /^(\S+) \(([^)]*)\): (.*)$/.exec(head) ?? []
  const [test = '', only] = tests.split(/: (.*)/)
  const [, ...edits] = lines.join('\n').split(/^@@ /m)
  return {
    name,
    promises: promises.split(' '),
    breaks,
    edits: edits.map(edit => {
      const [place = '', ...changes] = edit.split('\n')
      const textOf = (mark: string): string =>
        changes.flatMap(line => (line.startsWith(mark) ? [line.slice(2)] : [])).join('\n')
      return { in: place, find: textOf('-'), replace: textOf('+') }
    }),
    test,
    ...(only !== undefined && { only }),
  }
}
