import { parseArgs } from 'node:util'

/** What the command line says. */
export interface Options {
  /** Names of benches; empty: all. */
  readonly only: readonly string[]
  readonly quick: boolean
  /** Where the figures are written as JSON too. */
  readonly json: string | undefined
  /** Where they are drawn, as an SVG. */
  readonly chart: string | undefined
  /** Whether our servers run under V8's profiler, and where their time went is told. */
  readonly profile: boolean
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
      chart: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const only = values.only.flatMap(list => list.split(','))
  const unknown = only.find(name => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`--only ${unknown}: there are ${names.join(', ')}`)
  if (values.chart !== undefined && values.quick)
    throw new TypeError('--chart: figures of a --quick run are not to be quoted, so not drawn either')
  if (values.chart !== undefined && values.profile)
    throw new TypeError('--chart: figures under the profiler are not to be quoted, so not drawn either')
  return { ...values, only, json: values.json, chart: values.chart }
}
