import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { parseArgs } from 'node:util'
import { isAddress } from '@farebox/payments/crypto/address'
import { findNetwork } from '@farebox/payments/networks'
import { readPrice } from '@farebox/protocol/money/usdc'
import { areaOf, listChecks } from '../agent/run/list-checks.ts'
import { ruleCases } from '../facilitator/run/rule-cases.ts'
import { CannotRun } from './command-world.ts'

/** The arguments after the name of a command. */
export type CommandWords = readonly string[]

/** The arguments of `agent`. */
export interface AgentWords {
  /** Without a trailing slash. */
  readonly url: string
  /** Areas or ids; `undefined` selects all. */
  readonly only: readonly string[] | undefined
  /** The highest price of one job, in atomic units; `undefined`: only test money is paid. */
  readonly maxPriceAtomic: bigint | undefined
  readonly keyFile: string | undefined
  readonly local: string | undefined
  readonly maxJobs: number
  /** `eip155:<chain id>`; `undefined`: the one that the agent asks for. */
  readonly network: string | undefined
  readonly timeoutMs: number
  readonly verbose: boolean
  readonly json: boolean
}

/** The arguments of `facilitator`. */
export interface FacilitatorWords {
  /** Without a trailing slash. */
  readonly url: string
  readonly rpcUrl: string | undefined
  readonly local: string | undefined
  readonly secretFile: string | undefined
  readonly adminTokenFile: string | undefined
  /** `undefined`: two accounts of the local chain. */
  readonly payTo: { readonly first: string; readonly second: string } | undefined
  /** A prefix of ids. */
  readonly only: string
  readonly verbose: boolean
  readonly json: boolean
}

const SECONDS = { standard: 15, most: 600 }
const JOBS = { standard: 5, most: 1_000 }

/** Throws `CannotRun` naming the argument that was not understood. */
export function readAgentWords(words: CommandWords): AgentWords {
  const { values, positionals } = parse(words, {
    only: { type: 'string' },
    'max-price': { type: 'string' },
    'key-file': { type: 'string' },
    local: { type: 'string' },
    'max-jobs': { type: 'string' },
    network: { type: 'string' },
    timeout: { type: 'string' },
    verbose: { type: 'boolean' },
    json: { type: 'boolean' },
  })
  if (values.local !== undefined) {
    if (values['key-file'] !== undefined)
      throw new CannotRun('--local pays with test money, --key-file with a key', 'leave one of them out')
    if (values.network !== undefined)
      throw new CannotRun('--local pays on its own chain alone', 'leave --network out')
  }
  return {
    url: readUrl('agent', positionals),
    only: values.only === undefined ? undefined : values.only.split(',').map(readWanted),
    maxPriceAtomic: values['max-price'] === undefined ? undefined : readMaxPrice(values['max-price']),
    keyFile: values['key-file'],
    local: values.local,
    maxJobs: readCount('--max-jobs', values['max-jobs'], JOBS),
    network: values.network === undefined ? undefined : readNetwork(values.network),
    timeoutMs: readCount('--timeout', values.timeout, SECONDS) * 1_000,
    verbose: values.verbose === true,
    json: values.json === true,
  }
}

/** Throws `CannotRun` naming the argument that was not understood. */
export function readFacilitatorWords(words: CommandWords): FacilitatorWords {
  const { values, positionals } = parse(words, {
    'rpc-url': { type: 'string' },
    local: { type: 'string' },
    'secret-file': { type: 'string' },
    'admin-token-file': { type: 'string' },
    'pay-to': { type: 'string' },
    only: { type: 'string' },
    verbose: { type: 'boolean' },
    json: { type: 'boolean' },
  })
  const { only = '' } = values
  const rules = new Set(ruleCases.filter(({ id }) => id.startsWith(only)).map(({ rule }) => rule))
  if (rules.size === 0) throw new CannotRun(`--only: no case begins with "${only}"`, 'like SR1, or SR4-07')
  if (rules.size === 1 && rules.has('SR8'))
    throw new CannotRun('--only: SR8 looks at what was sent for all other cases', 'leave --only out')
  const rpcUrl = values['rpc-url']
  if (rpcUrl !== undefined && !canParseUrl(rpcUrl))
    throw new CannotRun('--rpc-url: must be the URL of a node', 'like http://127.0.0.1:8545')
  return {
    url: readUrl('facilitator', positionals),
    rpcUrl,
    local: values.local,
    secretFile: values['secret-file'],
    adminTokenFile: values['admin-token-file'],
    payTo: values['pay-to'] === undefined ? undefined : readWallets(values['pay-to']),
    only,
    verbose: values.verbose === true,
    json: values.json === true,
  }
}

type Options = Record<string, { readonly type: 'string' | 'boolean' }>

function parse<O extends Options>(words: CommandWords, options: O): ReturnType<typeof parseWords<O>> {
  try {
    return parseWords(words, options)
  } catch (error) {
    throw new CannotRun(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error), '', {
      cause: error,
    })
  }
}

function parseWords<O extends Options>(words: CommandWords, options: O) {
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
}

function readUrl(subject: 'agent' | 'facilitator', [url, another]: readonly string[]): string {
  const like = `farebox-conformance ${subject} http://127.0.0.1:8080`
  if (url === undefined) throw new CannotRun(`which ${subject}?`, like)
  if (another !== undefined) throw new CannotRun(`one ${subject} at a time, got ${another} as well`, like)
  if (!/^https?:\/\//i.test(url) || !canParseUrl(url))
    throw new CannotRun(`"${url}" is no URL: it begins with http:// or https://`, like)
  const { origin, pathname, username, password } = new URL(url)
  if (username + password !== '') throw new CannotRun('the URL must not carry credentials', like)
  return origin + pathname.replace(/\/+$/, '')
}

function readWanted(word: string): string {
  const wanted = word.trim()
  const checks = listChecks()
  if (checks.some(check => check.id === wanted || areaOf(check) === wanted)) return wanted
  const areas = [...new Set(checks.map(areaOf))]
  throw new CannotRun(`--only: there is no area or check "${wanted}"`, `there is: ${areas.join(', ')}`)
}

function readMaxPrice(text: string): bigint {
  const price = readPrice(text)
  if (price.ok) return price.atomic
  throw new CannotRun(`--max-price: ${price.reason}`, 'like --max-price 0.01, in USDC')
}

function readNetwork(text: string): string {
  if (findNetwork(text) !== undefined) return text
  throw new CannotRun(`--network: "${text}" is no network that payments are known on`, 'like eip155:8453')
}

function readCount(
  option: string,
  text: string | undefined,
  { standard, most }: { readonly standard: number; readonly most: number },
): number {
  if (text === undefined) return standard
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count > 0 && count <= most) return count
  throw new CannotRun(`${option}: must be a whole number from 1 to ${most}`, `like ${option} ${standard}`)
}

function readWallets(text: string): { readonly first: string; readonly second: string } {
  const [first = '', second = first, third] = text.split(',').map(word => word.trim())
  if (isAddress(first) && isAddress(second) && third === undefined) return { first, second }
  throw new CannotRun('--pay-to: must be two addresses', 'like --pay-to 0x…,0x…')
}
