import { parseArgs } from 'node:util'

/** The parsed command line. */
export interface Options {
  /** Names of benches; empty: all that are not long. */
  readonly only: readonly string[]
  readonly quick: boolean
  /** A commit of our own to measure together with the current one; undefined: the peers are measured. */
  readonly against: string | undefined
  /** Whether each bench is recorded in docs/evidence.json. */
  readonly write: boolean
  readonly help: boolean
}

/** The names of benches: of all, and of those that can also measure an older build. */
export interface BenchNames {
  readonly all: readonly string[]
  readonly compared: readonly string[]
}

/** Throws a `TypeError` for an unknown option, an unknown bench, and options that exclude each other. */
export function readOptions(words: readonly string[], { all, compared }: BenchNames): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      against: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { quick, against, write, help } = values
  const only = values.only.flatMap(list => list.split(','))
  const unknown = only.find(name => !(against === undefined ? all : compared).includes(name))
  if (unknown !== undefined) {
    const others =
      against === undefined
        ? `there are ${all.join(', ')}`
        : `with --against there are ${compared.join(', ')}`
    throw new TypeError(`--only ${unknown}: ${others}`)
  }
  if (write && quick) throw new TypeError('--write: figures of a --quick run are not to be quoted')
  if (write && against !== undefined)
    throw new TypeError('--write: a comparison of two builds is no figure of the current one')
  return { only, quick, against, write, help }
}
