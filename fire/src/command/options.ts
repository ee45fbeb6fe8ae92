import { parseArgs } from 'node:util'
import type { BatterySize } from '../battery.ts'

/** What the command line says. */
export interface Options {
  /** Names of batteries; empty: all. */
  readonly only: readonly string[]
  readonly size: BatterySize
  readonly seed: number
  /** Writes what was seen to `docs/reliability.md`. */
  readonly write: boolean
  readonly help: boolean
}

const LARGEST_SEED = 2 ** 31 - 1

/** Throws a `TypeError` for an option that is none, and for a battery that is none. */
export function readOptions(words: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      small: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const only = values.only.flatMap(list => list.split(',')).filter(name => name !== '')
  const unknown = only.find(name => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`--only ${unknown}: there are ${names.join(', ')}`)
  const seed = Number(values.seed)
  if (!Number.isInteger(seed) || seed < 0 || seed > LARGEST_SEED)
    throw new TypeError(`--seed ${values.seed}: must be a whole number from 0 to ${LARGEST_SEED}`)
  if (values.write && values.small)
    throw new TypeError('--write: only full runs are written down, so not with --small')
  return { only, size: values.small ? 'small' : 'full', seed, write: values.write, help: values.help }
}
