import { parseArgs } from 'node:util'

/** What the command line says. */
export interface Options {
  /** Names of benches; empty: all. */
  readonly only: readonly string[]
  readonly quick: boolean
  /** Where the figures are written as JSON too. */
  readonly json: string | undefined
  readonly help: boolean
}

/** Throws a `TypeError` for an option that is none, and for a bench that is none. */
export function readOptions(words: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const only = values.only.flatMap(list => list.split(','))
  const unknown = only.find(name => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`--only ${unknown}: there are ${names.join(', ')}`)
  return { ...values, only, json: values.json }
}
