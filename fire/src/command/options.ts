import { parseArgs } from 'node:util'
import type { BatteryEntry } from '../batteries.ts'
import { RefusedOption, type Battery, type BatteryFlags, type BatterySize } from '../battery.ts'

/** The parsed command line. */
export interface Options {
  /** In the order they run. */
  readonly names: readonly string[]
  readonly size: BatterySize
  readonly seed: number
  /** The flags of the one battery that is named. */
  readonly flags: BatteryFlags
  /** Writes the results to `docs/evidence.json`. */
  readonly write: boolean
  readonly help: boolean
}

const LARGEST_SEED = 2 ** 31 - 1
const COMMON = {
  small: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/**
 * Reads `[battery…] [options]`. A single battery's own flags are options, too. Rejects with a `TypeError` for an
 * unknown option or battery.
 */
export async function readOptions(
  words: readonly string[],
  batteries: { readonly [name: string]: BatteryEntry },
): Promise<Options> {
  const all = Object.keys(batteries)
  const first = words.findIndex(word => word.startsWith('-'))
  const named = words.slice(0, first === -1 ? words.length : first)
  const unknown = named.find(name => !all.includes(name))
  if (unknown !== undefined)
    throw new RefusedOption(`no battery is called ${unknown}: there are ${all.join(', ')}`)
  const [only = ''] = named.length === 1 ? named : []
  const own = Object.entries((await batteries[only]?.load())?.flags ?? {}).map(([name, { value }]) => {
    const type: 'boolean' | 'string' = value === undefined ? 'boolean' : 'string'
    return [name, { type }]
  })
  const { values } = parseArgs({
    args: words.slice(named.length),
    options: { ...(Object.fromEntries(own) as object), ...COMMON },
  })
  const { small, seed: seedText, write, help, ...given } = values
  const seed = Number(seedText)
  if (!Number.isInteger(seed) || seed < 0 || seed > LARGEST_SEED)
    throw new RefusedOption(`--seed ${seedText}: must be a whole number from 0 to ${LARGEST_SEED}`)
  const flags = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === true ? '' : String(value)]),
  )
  if (write && Object.keys(flags).length > 0)
    throw new RefusedOption(`--write: a run with --${Object.keys(flags).join(', --')} is not recorded`)
  const names = all.filter(name =>
    named.length === 0 ? batteries[name]?.onlyNamed !== true : named.includes(name),
  )
  return { names, size: small ? 'small' : 'full', seed, flags, write, help }
}

/** The help: for one battery with its own flags. */
export function describeOptions(names: readonly string[], battery: Battery | undefined): string {
  const own = Object.entries(battery?.flags ?? {}).map(
    ([name, { value = '', help }]) => `  ${`--${name} ${value}`.padEnd(20)} ${help}\n`,
  )
  return `npm run fire -- [battery…] [options]

  battery              ${names.join(', ')}; all where none is named
  --small              the small forms, as in npm test -- fire: minutes instead of hours
  --seed <n>           where the random choices begin (1)
  --write              records what was seen in docs/evidence.json
  --help               with one battery: its own options too
${battery === undefined ? '' : `\n${battery.name}: ${battery.does}\n\n${own.join('')}`}`
}
