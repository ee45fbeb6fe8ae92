import { parseArgs } from 'node:util'

/** What can be measured, in the order in which it is. */
export const PARTS = ['first-job', 'size', 'vitals', 'canvas', 'lighthouse', 'server'] as const

/** One of them. */
export type Part = (typeof PARTS)[number]

/** What the command line says. */
export interface WebOptions {
  readonly parts: readonly Part[]
  /** How often a page is loaded and rated; figures are medians. */
  readonly rounds: number
  /** Behind the pages whose server time is measured. */
  readonly agents: number
  /** Where those are kept. */
  readonly database: string
  /** One that is filled already, or is to be kept; undefined: one of our own, dropped afterwards. */
  readonly schema: string | undefined
  /** Where the figures are written as JSON too. */
  readonly json: string | undefined
  readonly help: boolean
}

/** For `--help`. */
export const WEB_HELP = `npm run bench:web -- [options]

  --only <parts>    ${PARTS.join(', ')}; several with commas
  --rounds <n>      loads of each page, and runs of Lighthouse; figures are medians; default 5
  --agents <n>      behind the pages of "server"; default 1000000
  --database <url>  where those are filled in; default postgres://root@127.0.0.1:5432/test
  --schema <name>   use this one: filled where it is empty, kept afterwards (bench:search fills it alike)
  --json <file>     writes the figures there too
`

/** Throws a `TypeError` for an option that is none, for a part that is none, and for a number that is none. */
export function readWebOptions(words: readonly string[]): WebOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '5' },
      agents: { type: 'string', default: '1000000' },
      database: { type: 'string', default: 'postgres://root@127.0.0.1:5432/test' },
      schema: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const only = values.only.flatMap(list => list.split(','))
  const unknown = only.find(name => !PARTS.some(part => part === name))
  if (unknown !== undefined) throw new TypeError(`--only ${unknown}: there are ${PARTS.join(', ')}`)
  const { schema } = values
  if (schema !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new TypeError(
      `--schema: must be lower-case letters, digits and underscores, got ${JSON.stringify(schema)}`,
    )
  return {
    ...values,
    parts: PARTS.filter(part => only.length === 0 || only.includes(part)),
    rounds: readCount('--rounds', values.rounds),
    agents: readCount('--agents', values.agents),
    schema,
    json: values.json,
  }
}

function readCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new TypeError(`${name}: must be a whole number of at least 1, got ${JSON.stringify(text)}`)
  return Number(text)
}
