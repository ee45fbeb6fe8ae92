import { printable } from '@farebox/conformance/internal/printable'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { isLoopback } from '@farebox/client/internal/agent/agent-url'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { areaOf, listChecks } from '@farebox/conformance/agent'
import { readNetwork } from '../chain/name-network.ts'
import { usageError } from '../command-error.ts'
import { readAmount, readSeconds, readUrl, schemeHint } from '../terminal/read-option.ts'

export interface RawCheckOptions {
  readonly only?: readonly string[]
  readonly paid?: true
  readonly maxPrice?: string
  readonly maxJobs?: string
  readonly network?: string
  readonly wallet?: string
  readonly passwordFile?: string
  readonly timeout?: string
  readonly list?: true
  readonly verbose?: true
  readonly quiet?: true
  readonly json?: true
  readonly flows?: true
  readonly agentId?: string
  readonly platform?: string
  readonly config?: string
}

/** The validated options of `farebox check`. */
export interface ConformanceCheckOptions {
  /** Without a trailing slash. */
  readonly url: string
  /** Areas or ids; `undefined` selects all. */
  readonly only: readonly string[] | undefined
  readonly timeoutMs: number
  /** `undefined`: nothing is paid. */
  readonly paying: PayingOptions | undefined
}

/** The limits of `--paid`. */
export interface PayingOptions {
  /** The highest price of one job; `undefined`: the person must agree to the price. */
  readonly maxPriceAtomic: bigint | undefined
  readonly maxJobs: number
  readonly network: string | undefined
  readonly wallet: string | undefined
  readonly passwordFile: string | undefined
}

const DEFAULT_TIMEOUT_SECONDS = 15
const MAX_TIMEOUT_SECONDS = 600
/** A correct agent charges for one job, and receives two or three more payments that it must refuse. */
const DEFAULT_MAX_JOBS = 5
const MAX_MAX_JOBS = 1_000

export function readCheckOptions(url: string | undefined, raw: RawCheckOptions): ConformanceCheckOptions {
  refuseConflicts(raw)
  return {
    url: readTarget(url, raw.paid === true),
    only: raw.only?.map(readWanted),
    timeoutMs: readSeconds('--timeout', raw.timeout ?? String(DEFAULT_TIMEOUT_SECONDS), {
      most: MAX_TIMEOUT_SECONDS,
      example: DEFAULT_TIMEOUT_SECONDS,
    }),
    paying: raw.paid === true ? readPaying(raw) : undefined,
  }
}

function refuseConflicts(raw: RawCheckOptions): void {
  const limits = { '--max-price': raw.maxPrice, '--max-jobs': raw.maxJobs, '--wallet': raw.wallet }
  const [limit] = Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (limit !== undefined && raw.paid !== true)
    throw usageError(`${limit} says how to pay, but not that`, 'add --paid, or leave it out')
  const flowOptions = { '--agent-id': raw.agentId, '--platform': raw.platform, '--config': raw.config }
  const [flowOption] = Object.entries(flowOptions).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  if (flowOption !== undefined)
    throw usageError(`${flowOption} goes with --flows`, 'add --flows, or leave it out')
  if (raw.only?.length === 0) throw usageError('--only names nothing', 'farebox check --list names the areas')
  if (raw.quiet === true && raw.verbose === true)
    throw usageError('--quiet and --verbose ask for less and for more', 'take one of them')
}

function readTarget(url: string | undefined, isPaying: boolean): string {
  if (url === undefined) throw usageError('whose agent?', 'farebox check http://localhost:3000')
  const shown = printable(url.slice(0, 100))
  if (!/^https?:\/\//i.test(url)) {
    const isHere = canParseUrl(`http://${url}`) && isLoopback(new URL(`http://${url}`).hostname)
    const next = schemeHint(url.slice(0, 100), isHere ? 'http' : 'https', 'like https://agent.example')
    throw usageError(`"${shown}" is not the URL of an agent`, next)
  }
  return readUrl('agent URL', url, { allowHttp: !isPaying, next: 'like https://agent.example' })
}

function readWanted(wanted: string): string {
  const areas = [...new Set(listChecks().map(areaOf))]
  const ids = listChecks().map(({ id }) => id)
  if (areas.includes(wanted) || ids.includes(wanted)) return wanted
  const guess = nearest(wanted, wanted.includes('/') ? ids : areas)
  const hint = guess === undefined ? '' : `, did you mean ${guess}?`
  throw usageError(
    `--only: there is no area or check "${printable(wanted)}"${hint}`,
    `there is: ${areas.join(', ')}`,
  )
}

function readPaying(raw: RawCheckOptions): PayingOptions {
  return {
    maxPriceAtomic: raw.maxPrice === undefined ? undefined : readAmount('--max-price', raw.maxPrice, '0.01'),
    maxJobs: readCount('--max-jobs', raw.maxJobs, DEFAULT_MAX_JOBS, MAX_MAX_JOBS),
    network: raw.network === undefined ? undefined : readNetwork(raw.network).id,
    wallet: raw.wallet,
    passwordFile: raw.passwordFile,
  }
}

function readCount(option: string, text: string | undefined, standard: number, most: number): number {
  if (text === undefined) return standard
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count > 0 && count <= most) return count
  throw usageError(`${option}: must be a whole number from 1 to ${most}`, `like ${option} ${standard}`)
}
