import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import type { VariablesHelp } from './program/variables.ts'

/** Missing or invalid variables that prevent a start; the message names each and says what to do. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  /** One sentence for each variable, starting with its name. */
  readonly problems: readonly string[]

  constructor(problem: string | readonly string[]) {
    const problems = typeof problem === 'string' ? [problem] : problem
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The variables, as in `process.env`, and a function that reads a file named by one of them. */
export interface EnvironmentSource {
  readonly variables: { readonly [name: string]: string | undefined }
  readonly readFile: (path: string) => string
}

/**
 * Reads one variable by its name; undefined when it is unset or empty, because many tools set absent variables to an empty
 * text.
 */
export type ReadVariable = (name: string) => string | undefined

const MIN_TOKEN_CHARACTERS = 16

/**
 * Creates the reader of a source's variables.
 *
 * @param described - the readable variables: reading one without help is a bug of the program, and throws an `Error`
 */
export function variablesOf({ variables }: EnvironmentSource, described?: VariablesHelp): ReadVariable {
  return name => {
    if (described !== undefined && !Object.hasOwn(described, name))
      throw new Error(`${name} is read and not described: add it to the program's variables`)
    return variables[name] === '' ? undefined : variables[name]
  }
}

/** The reader of each part of an environment. */
type Parts = { readonly [part: string]: () => unknown }

/**
 * Reads every part, even after one was refused, so that all invalid variables are reported at once.
 *
 * @throws {EnvironmentError} with the problems of all parts, each once
 */
export function readTogether<P extends Parts>(parts: P): { readonly [part in keyof P]: ReturnType<P[part]> } {
  const problems = new Set<string>()
  const values = Object.entries(parts).map(([part, read]) => {
    try {
      return [part, read()]
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error
      for (const problem of error.problems) problems.add(problem)
      return [part, undefined]
    }
  })
  if (problems.size > 0) throw new EnvironmentError([...problems])
  // Each value was returned by the function of the same name.
  return Object.fromEntries(values) as { [part in keyof P]: ReturnType<P[part]> }
}

/** A TCP port; 0 means any free one. Throws {@link EnvironmentError}, as all functions below do. */
export function readPort(name: string, read: ReadVariable): number | undefined {
  const value = read(name)
  if (value === undefined) return undefined
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (!(port <= 65_535)) throw new EnvironmentError(`${name} must be a port, 0 to 65535, got ${shown(value)}`)
  return port
}

/** A whole number from 1 to 999999999. */
export function readCount(name: string, read: ReadVariable): number | undefined {
  const value = read(name)
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw new EnvironmentError(`${name} must be a whole number, 1 to 999999999, got ${shown(value)}`)
  return Number(value)
}

/** An http or https URL. An invalid one is not shown in the message, because such URLs often contain a key. */
export function readHttpUrl(name: string, read: ReadVariable): string | undefined {
  const value = read(name)
  if (value === undefined) return undefined
  if (!canParseUrl(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new EnvironmentError(`${name} must be an http or https URL`)
  return value
}

/** The node of `EVM_RPC_URL`, which is required by every program that reads a chain. */
export function readRpcUrl(read: ReadVariable): string {
  const url = readHttpUrl('EVM_RPC_URL', read)
  if (url !== undefined) return url
  throw new EnvironmentError(
    'EVM_RPC_URL is not set: give the http(s) URL of an Ethereum JSON-RPC node of the network',
  )
}

/**
 * `DATABASE_URL`. An invalid one is not shown in the message, because such URLs contain a password.
 *
 * @param advice - the advice for a program that has no database of its own and requires the variable
 */
export function readDatabaseUrl(read: ReadVariable, advice?: string): string | undefined {
  const value = readPostgresUrl('DATABASE_URL', read)
  if (value === undefined && advice !== undefined)
    throw new EnvironmentError(`DATABASE_URL is not set: ${advice}`)
  return value
}

/**
 * `DATABASE_DIRECT_URL`: the direct address of the server, when `DATABASE_URL` is a pooler. Setting it means that there is a
 * pooler.
 */
export function readDirectDatabaseUrl(read: ReadVariable): string | undefined {
  return readPostgresUrl('DATABASE_DIRECT_URL', read)
}

function readPostgresUrl(name: string, read: ReadVariable): string | undefined {
  const value = read(name)
  if (value === undefined || (canParseUrl(value) && /^postgres(?:ql)?:$/.test(new URL(value).protocol)))
    return value
  throw new EnvironmentError(`${name} must be a postgres:// URL`)
}

/** `DATABASE_SCHEMA`, a plain lower-case name. */
export function readSchema(read: ReadVariable): string | undefined {
  const value = read('DATABASE_SCHEMA')
  if (value === undefined || /^[a-z_][a-z0-9_]{0,40}$/.test(value)) return value
  throw new EnvironmentError(
    `DATABASE_SCHEMA must be lower-case letters, digits and _, at most 41, got ${shown(value)}`,
  )
}

/** A service token, long enough that it cannot be guessed. */
export function readToken(name: string, read: ReadVariable): string | undefined {
  const value = read(name)
  if (value === undefined || (value.length >= MIN_TOKEN_CHARACTERS && !/\s/.test(value))) return value
  throw new EnvironmentError(
    `${name} must be at least ${MIN_TOKEN_CHARACTERS} characters without spaces: try openssl rand -hex 32`,
  )
}

/** 32 bytes of `0x` hex, in the variable itself or in the file that `<name>_FILE` names. */
export function readKey(
  name: string,
  source: EnvironmentSource,
  read = variablesOf(source),
): string | undefined {
  const found = findKeys(name, source, read)
  if (found === undefined || isKey(found.text)) return found?.text
  throw new EnvironmentError(`${found.variable} must hold 0x and 64 hex digits`)
}

/** One or more keys in the form of {@link readKey}, separated by commas or new lines; no key twice. */
export function readKeys(
  name: string,
  source: EnvironmentSource,
  read = variablesOf(source),
): readonly string[] | undefined {
  const found = findKeys(name, source, read)
  if (found === undefined) return undefined
  const keys = found.text.split(/[\s,]+/).filter(key => key !== '')
  if (keys.length === 0)
    throw new EnvironmentError(`${found.variable} holds no key: a key is 0x and 64 hex digits`)
  keys.forEach((key, index) => {
    const place = keys.length === 1 ? 'the key' : `key ${index + 1} of ${keys.length}`
    if (!isKey(key)) throw new EnvironmentError(`${found.variable}: ${place} is not 0x and 64 hex digits`)
    const first = keys.findIndex(other => other.toLowerCase() === key.toLowerCase())
    if (first < index)
      throw new EnvironmentError(`${found.variable}: keys ${first + 1} and ${index + 1} are the same`)
  })
  return keys
}

function isKey(text: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(text)
}

function findKeys(
  name: string,
  source: EnvironmentSource,
  read: ReadVariable,
): { readonly variable: string; readonly text: string } | undefined {
  const [direct, file] = [read(name), read(`${name}_FILE`)]
  if (direct !== undefined && file !== undefined)
    throw new EnvironmentError(`${name} and ${name}_FILE are both set: set one of them`)
  if (file !== undefined)
    return {
      variable: `${name}_FILE`,
      text: readFileOf(`${name}_FILE`, file, source, '0x and 64 hex digits'),
    }
  return direct === undefined ? undefined : { variable: name, text: direct }
}

const FILE_FAILURES: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read the file',
  EISDIR: 'that is a folder',
}

/**
 * The text of a file that a variable names.
 *
 * @param wanted - what the file should hold, for the error
 */
export function readFileOf(
  name: string,
  path: string,
  { readFile }: EnvironmentSource,
  wanted: string,
): string {
  try {
    return readFile(path).trim()
  } catch (error) {
    // Only the error code is shown: the message contains the path, which is the key itself when the variables were confused.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given'
    const reason = Object.hasOwn(FILE_FAILURES, code) ? FILE_FAILURES[code] : `it cannot be read (${code})`
    throw new EnvironmentError(`${name}: ${reason}; name a file that holds ${wanted}`)
  }
}

/** Valid values are short; a longer one may be a secret in the wrong variable. */
const MAX_SHOWN_CHARACTERS = 24

/** A value in the form in which a message may show it. */
export function shown(value: string): string {
  return value.length > MAX_SHOWN_CHARACTERS ? `${value.length} characters` : JSON.stringify(value)
}
