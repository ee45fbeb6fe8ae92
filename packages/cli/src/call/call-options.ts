import { readNetwork } from '../chain/name-network.ts'
import { usageError } from '../command-error.ts'
import { readAmount } from '../terminal/read-option.ts'

export interface RawCallOptions {
  readonly input?: string
  readonly field?: readonly string[]
  readonly maxPrice?: string
  readonly network?: string
  readonly wallet?: string
  readonly passwordFile?: string
  readonly rpcUrl?: string
  readonly deadline?: string
  readonly allowHttp?: true
  readonly dryRun?: true
  /** True when no job is named. */
  readonly resume?: string | true
  readonly list?: true
  readonly json?: true
  readonly help?: true
}

/** The validated options of a call. */
export interface CallOptions {
  /** The maximum that is paid without asking; `undefined`: the person must agree to the price. */
  readonly maxPriceAtomic: bigint | undefined
  /** CAIP-2 ids; `undefined`: every known network. */
  readonly networks: readonly string[] | undefined
  readonly wallet: string | undefined
  readonly passwordFile: string | undefined
  readonly rpcUrl: string | undefined
  readonly deadlineSeconds: number | undefined
  readonly allowHttp: boolean
  readonly json: boolean
}

/** The client's own limit: half of the maximum lifetime of an authorization, which is a day. */
const LONGEST_DEADLINE_SECONDS = 43_200

export function readCallOptions(raw: RawCallOptions): CallOptions {
  return {
    maxPriceAtomic: raw.maxPrice === undefined ? undefined : readAmount('--max-price', raw.maxPrice, '0.05'),
    networks: raw.network === undefined ? undefined : [readNetwork(raw.network).id],
    wallet: raw.wallet,
    passwordFile: raw.passwordFile,
    rpcUrl: raw.rpcUrl,
    deadlineSeconds: raw.deadline === undefined ? undefined : readDeadline(raw.deadline),
    allowHttp: raw.allowHttp === true,
    json: raw.json === true,
  }
}

function readDeadline(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0
  if (seconds > 0 && seconds <= LONGEST_DEADLINE_SECONDS) return seconds
  throw usageError(
    `--deadline: must be a number of seconds, more than 0 and at most ${LONGEST_DEADLINE_SECONDS}`,
    'like --deadline 30',
  )
}
