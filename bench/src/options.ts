import { parseArgs } from 'node:util'

/** What the command line says. */
export interface Options {
  /** Names of benches; empty: all. */
  readonly only: readonly string[]
  /** Names of benches that run beside the usual ones. */
  readonly also: readonly string[]
  readonly quick: boolean
  /** A commit of our own to measure beside the current one; undefined: the peers are measured. */
  readonly against: string | undefined
  /** Where the figures are written as JSON too. */
  readonly json: string | undefined
  /** Where they are drawn, as an SVG. */
  readonly chart: string | undefined
  /** Whether our servers run under V8's profiler, and where their time went is told. */
  readonly profile: boolean
  /** Relayer keys of our facilitator, for the benches of settlement; undefined: what each does by itself. */
  readonly keys: readonly number[] | undefined
  /** Payments of `settlement-soak`; undefined: its own number. */
  readonly payments: number | undefined
  readonly help: boolean
}

/** The names of benches: of all, and of those that can measure an older build too. */
export interface BenchNames {
  readonly all: readonly string[]
  readonly compared: readonly string[]
}

/** Throws a `TypeError` for an option that is none, and for a bench that is none. */
export function readOptions(words: readonly string[], { all, compared }: BenchNames): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      also: { type: 'string', multiple: true, default: [] },
      against: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      chart: { type: 'string' },
      profile: { type: 'boolean', default: false },
      keys: { type: 'string' },
      payments: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const namesOf = (option: 'only' | 'also'): readonly string[] => {
    const given = values[option].flatMap(list => list.split(','))
    const names = values.against === undefined ? all : compared
    const unknown = given.find(name => !names.includes(name))
    if (unknown === undefined) return given
    const others = values.against === undefined ? 'there are' : 'with --against there are'
    throw new TypeError(`--${option} ${unknown}: ${others} ${names.join(', ')}`)
  }
  const [only, also] = [namesOf('only'), namesOf('also')]
  if (values.chart !== undefined && values.quick)
    throw new TypeError('--chart: figures of a --quick run are not to be quoted, so not drawn either')
  if (values.chart !== undefined && values.profile)
    throw new TypeError('--chart: figures under the profiler are not to be quoted, so not drawn either')
  const keys = values.keys?.split(',').map(text => readCount('--keys', text, MOST_KEYS))
  const payments =
    values.payments === undefined ? undefined : readCount('--payments', values.payments, MOST_PAYMENTS)
  return {
    ...values,
    only,
    also,
    json: values.json,
    chart: values.chart,
    against: values.against,
    keys,
    payments,
  }
}

const MOST_KEYS = 16
/** A hundred bytes each are held for them, and as much for each of their events. */
const MOST_PAYMENTS = 500_000

function readCount(option: string, text: string, most: number): number {
  const count = Number(text)
  if (/^[1-9]\d*$/.test(text) && count <= most) return count
  throw new TypeError(`${option}: must be a whole number from 1 to ${most}, got ${JSON.stringify(text)}`)
}
