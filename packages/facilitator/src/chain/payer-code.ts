import { fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Clock } from '@farebox/protocol/time/clock'
import { batchCalls } from '../batch-calls.ts'
import { createReadCodeSizes } from './code-sizes.ts'

/** The kind of a payer's account: an ordinary one, one with known code, or one with any other code. */
export type PayerCode =
  | { readonly kind: 'none' }
  /** `codeHash` is the hash of the account's own code, `0x` hex: for a delegated account, of its designator. */
  | { readonly kind: 'known'; readonly codeHash: string }
  | { readonly kind: 'unknown' }

/** Reads the current kinds of accounts. Rejects when the node gives no answer. */
export type ReadPayerCodes = (accounts: readonly string[]) => Promise<readonly PayerCode[]>

const NONE: PayerCode = { kind: 'none' }
const UNKNOWN: PayerCode = { kind: 'unknown' }

/** The code of an account that is delegated to a contract: this prefix and the contract's address (EIP-7702). */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/i
/** The most delegation targets that are remembered. */
const MAX_REMEMBERED = 1_000
/** Accounts of one call; each takes one word of the answer. */
const LIMITS = { atMost: 200, inFlight: 8 }

/**
 * Creates the reader. Code is known if its hash is in the list; for a delegated account, if the hash of the target
 * contract's code is. Requests of the same moment share one call; accounts without code, nearly all, need no further call.
 *
 * @param known - keccak256 of runtime codes, `0x` hex
 */
export function createReadPayerCodes(
  { rpc, crypto, clock }: { readonly rpc: JsonRpc; readonly crypto: EvmCrypto; readonly clock: Clock },
  known: readonly string[],
): ReadPayerCodes {
  const hashes = new Set(known.map(hash => hash.toLowerCase()))
  const readSizes = gatherSizes(rpc, clock)
  // A contract's code does not change; only an address without code may still become a contract.
  const delegates = new Map<string, boolean>()

  const readCode = async (account: string): Promise<string> => {
    const code = await rpc.call('eth_getCode', [account, 'latest'])
    if (typeof code !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(code))
      throw new Error('the node answered no code')
    return code
  }
  const hashOf = (code: string): string => toHex(crypto.keccak256(fromHex(code)))
  const isKnownDelegate = async (contract: string): Promise<boolean> => {
    const remembered = delegates.get(contract)
    if (remembered !== undefined) return remembered
    const code = await readCode(contract)
    const isKnown = hashes.has(hashOf(code))
    if (delegates.size >= MAX_REMEMBERED) delegates.clear()
    if (code !== '0x') delegates.set(contract, isKnown)
    return isKnown
  }
  const judge = async (account: string): Promise<PayerCode> => {
    if (hashes.size === 0) return UNKNOWN
    const code = await readCode(account)
    if (code === '0x') return NONE
    const codeHash = hashOf(code)
    const [, contract] = DELEGATION.exec(code) ?? []
    const isKnown = contract === undefined ? hashes.has(codeHash) : await isKnownDelegate(`0x${contract}`)
    return isKnown ? { kind: 'known', codeHash } : UNKNOWN
  }
  return async accounts => {
    const sizes = await readSizes(accounts)
    return await Promise.all(
      accounts.map(async (account, index) => (sizes[index] === 0 ? NONE : await judge(account))),
    )
  }
}

/** Reads the code sizes for requests that arrive together in one call. */
function gatherSizes(
  rpc: JsonRpc,
  clock: Clock,
): (accounts: readonly string[]) => Promise<readonly number[]> {
  interface Waiting {
    readonly account: string
    readonly resolve: (size: number) => void
    readonly reject: (error: unknown) => void
  }
  const read = createReadCodeSizes(rpc)
  const ask = batchCalls<Waiting>(clock, LIMITS, async group => {
    try {
      const sizes = await read(group.map(one => one.account))
      group.forEach((one, index) => one.resolve(sizes[index] ?? 0))
    } catch (error) {
      for (const one of group) one.reject(error)
    }
  })
  return async accounts => {
    const waiting: Waiting[] = []
    const sizes = accounts.map(
      account => new Promise<number>((resolve, reject) => waiting.push({ account, resolve, reject })),
    )
    // All are queued in one step; otherwise the first would be sent by itself.
    ask(waiting)
    return await Promise.all(sizes)
  }
}
