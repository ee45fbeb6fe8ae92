import { availableParallelism } from 'node:os'
import { parseArguments, type CommandOption } from './parse-arguments.ts'
import { UsageError } from './usage-error.ts'

/** The options of one `farebox start` call. */
export interface StartOptions {
  readonly config: string
  readonly handlers: string | undefined
  readonly port: string | undefined
  readonly host: string | undefined
  /** The number of processes that share the port; at least 1. */
  readonly workers: number
}

/** The options of one `farebox validate` call. */
export interface ValidateOptions {
  readonly config: string
  readonly json: boolean
}

const CONFIG: CommandOption = { name: 'config', value: '<file>', meaning: 'default ./agent.json' }

/** The options of `farebox start` (D28). */
export const START_OPTIONS: readonly CommandOption[] = [
  CONFIG,
  {
    name: 'handlers',
    value: '<file>',
    meaning: 'default handlers.(ts|mts|js|mjs) beside the config, then in src/',
  },
  { name: 'port', value: '<port>', meaning: 'default $PORT, then 3000; 0: any free one' },
  { name: 'host', value: '<address>', meaning: 'default all interfaces' },
  {
    name: 'workers',
    value: '<n>',
    meaning: 'so many processes on the one port, or auto: one for each core; default 1',
  },
]

/** The options of `farebox validate`. */
export const VALIDATE_OPTIONS: readonly CommandOption[] = [
  CONFIG,
  { name: 'json', meaning: 'one JSON document: { ok, name, capabilities } or { ok, problems }' },
]

const MAX_WORKERS = 256

/** Reads the arguments after `farebox start`. Throws a {@link UsageError}. */
export function readStartOptions(args: readonly string[]): StartOptions {
  const { values, rest } = parseArguments('farebox start', START_OPTIONS, args)
  const [extra] = rest
  if (extra !== undefined)
    throw new UsageError(
      `farebox start: ${JSON.stringify(extra)} is unexpected`,
      `a config is named with --config ${extra}`,
    )
  const text = (name: string): string | undefined => {
    const value = values.get(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    config: text('config') ?? './agent.json',
    handlers: text('handlers'),
    port: readPort(text('port')),
    host: text('host'),
    workers: readWorkers(text('workers')),
  }
}

/** Reads the arguments after `farebox validate`. Throws a {@link UsageError}. */
export function readValidateOptions(args: readonly string[]): ValidateOptions {
  const { values, rest } = parseArguments('farebox validate', VALIDATE_OPTIONS, args)
  const flagged = values.get('config')
  const named = [...(typeof flagged === 'string' ? [flagged] : []), ...rest]
  if (named.length > 1)
    throw new UsageError(
      'farebox validate: one config at a time',
      'name one file: farebox validate agent.json',
    )
  return { config: named[0] ?? './agent.json', json: values.has('json') }
}

function readPort(value: string | undefined): string | undefined {
  if (value === undefined || (/^\d{1,5}$/.test(value) && Number(value) <= 65_535)) return value
  throw new UsageError(
    `farebox start: --port must be a port number from 0 to 65535, got ${JSON.stringify(value.slice(0, 40))}`,
    'leave it out for $PORT, then 3000',
  )
}

function readWorkers(value: string | undefined): number {
  if (value === undefined) return 1
  if (value === 'auto') return Math.min(MAX_WORKERS, availableParallelism())
  const workers = Number(value)
  if (/^\d{1,3}$/.test(value) && workers >= 1 && workers <= MAX_WORKERS) return workers
  throw new UsageError(
    `farebox start: --workers must be a number from 1 to ${MAX_WORKERS}, or auto, got ${JSON.stringify(value.slice(0, 40))}`,
    'leave it out for one process',
  )
}
