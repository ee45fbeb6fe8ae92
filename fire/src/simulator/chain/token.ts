import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { permissionId, type SpendRefusal } from '@farebox/contracts/permission-calls'
import { uintWord } from '@farebox/contracts/src/abi-words'
import type { BatchedCall } from '@farebox/facilitator/src/chain/calldata'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  TRANSFER_TOPIC,
} from '@farebox/payments/chain/chain-proof'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { addressTopic, word } from '@farebox/payments/src/chain/rpc-words'
import { toEventHash } from 'viem/utils'

/** The token at one block: immutable. */
export interface TokenState {
  readonly balances: ReadonlyMap<string, bigint>
  /** By {@link nonceKey}. */
  readonly spent: ReadonlyMap<string, 'used' | 'cancelled'>
  readonly isPaused: boolean
  /** The state of the contract that moves the token by permission; absent: there are no permissions. */
  readonly spends?: SpendState
}

/** A call of the token that changes it. */
export type TokenCall =
  | { readonly kind: 'pay'; readonly authorization: Authorization; readonly signature: string }
  | { readonly kind: 'cancel'; readonly from: string; readonly nonce: string }
  | { readonly kind: 'transfer'; readonly from: string; readonly to: string; readonly value: bigint }
  | { readonly kind: 'pause' | 'unpause' }
  | SpendCall

/** The result of a call. */
export type TokenOutcome =
  | { readonly ok: true; readonly state: TokenState; readonly logs: readonly ChainLog[] }
  | { readonly ok: false; readonly revert: string }

/** LocalUSDC without an EVM: the same order of checks, and the same messages. */
export type Token = ReturnType<typeof createToken>

export function nonceKey(from: string, nonce: string): string {
  return `${from}:${nonce}`
}

/** Creates the token, with SpendPermissions; `isSigned` returns whether the payer signed exactly this. */
export function createToken(
  address: string,
  isSigned: (authorization: Authorization, signature: string) => boolean,
) {
  const log = (topics: readonly string[], data = '0x'): ChainLog => ({ address, topics, data })

  function pay(
    state: TokenState,
    { authorization, signature }: TokenCall & { kind: 'pay' },
    blockSeconds: number,
  ): TokenOutcome {
    const { from, to, nonce, validAfter, validBefore } = authorization
    if (blockSeconds <= Number(validAfter)) return revert('FiatTokenV2: authorization is not yet valid')
    if (blockSeconds >= Number(validBefore)) return revert('FiatTokenV2: authorization is expired')
    const key = nonceKey(from, nonce)
    if (state.spent.has(key)) return revert('FiatTokenV2: authorization is used or canceled')
    if (!isSigned(authorization, signature)) return revert('FiatTokenV2: invalid signature')
    const moved = transfer(state, from, to, BigInt(authorization.value))
    if (!moved.ok) return moved
    const spent = new Map(moved.state.spent).set(key, 'used' as const)
    const used = log([AUTHORIZATION_USED_TOPIC, addressTopic(from), nonce])
    return { ok: true, state: { ...moved.state, spent }, logs: [used, ...moved.logs] }
  }

  function transfer(state: TokenState, from: string, to: string, value: bigint): TokenOutcome {
    if (state.isPaused) return revert('Pausable: paused')
    const balance = state.balances.get(from) ?? 0n
    if (balance < value) return revert('ERC20: transfer amount exceeds balance')
    const balances = new Map(state.balances).set(from, balance - value)
    balances.set(to, (balances.get(to) ?? 0n) + value)
    const logs = [log([TRANSFER_TOPIC, addressTopic(from), addressTopic(to)], `0x${uintWord(value)}`)]
    return { ok: true, state: { ...state, balances }, logs }
  }

  function cancel(state: TokenState, from: string, nonce: string): TokenOutcome {
    if (state.isPaused) return revert('Pausable: paused')
    const key = nonceKey(from, nonce)
    if (state.spent.has(key)) return revert('FiatTokenV2: authorization is used or canceled')
    const spent = new Map(state.spent).set(key, 'cancelled' as const)
    const logs = [log([AUTHORIZATION_CANCELED_TOPIC, addressTopic(from), nonce])]
    return { ok: true, state: { ...state, spent }, logs }
  }

  function spend(state: TokenState, call: SpendCall & { kind: 'spend' }): TokenOutcome {
    const spends = judgeSpend(state.spends ?? NO_SPENDS, call)
    if (typeof spends === 'string') return revert(spends)
    const moved = transfer(state, call.owner, call.to, call.amount)
    if (!moved.ok) return moved
    const { owner, spender, id, amount, ref } = call
    const spent = {
      address: SPEND_PERMISSIONS,
      topics: [PERMISSION_SPENT, addressTopic(owner), addressTopic(spender), id],
      data: `0x${word(call.token)}${word(call.to)}${uintWord(amount)}${uintWord(ref)}`,
    }
    return { ok: true, state: { ...moved.state, spends }, logs: [spent, ...moved.logs] }
  }

  return {
    address,
    call(state: TokenState, call: TokenCall, blockSeconds: number): TokenOutcome {
      switch (call.kind) {
        case 'pay':
          return pay(state, call, blockSeconds)
        case 'transfer':
          return transfer(state, call.from, call.to, call.value)
        case 'cancel':
          return cancel(state, call.from, call.nonce)
        case 'spend':
          return spend(state, call)
        case 'permit': {
          const spends = setTerms(state.spends ?? NO_SPENDS, call.id, call.terms)
          return { ok: true, state: { ...state, spends }, logs: [] }
        }
        case 'pause':
        case 'unpause':
          return { ok: true, state: { ...state, isPaused: call.kind === 'pause' }, logs: [] }
      }
    },
  }
}

function revert(words: string): TokenOutcome {
  return { ok: false, revert: words }
}

// SpendPermissions, which moves the token as its owners permit.

/** The terms of a permission; without a limit it permits nothing. */
export interface SpendTerms {
  readonly limit: bigint
  /** The sum of all spends since the permission was first set. */
  readonly cap: bigint
}

/** One permission, by its id in {@link SpendState}. */
interface SpendRule extends SpendTerms {
  readonly spent: bigint
}

/** SpendPermissions at one block: immutable. */
export interface SpendState {
  readonly rules: ReadonlyMap<string, SpendRule>
  /** `<id> <ref>` of each spend. */
  readonly refs: ReadonlySet<string>
}

/** A call of SpendPermissions that changes it. All addresses and words are lower-case hex. */
type SpendCall =
  | { readonly kind: 'permit'; readonly id: string; readonly terms: SpendTerms }
  | {
      readonly kind: 'spend'
      readonly id: string
      readonly owner: string
      readonly spender: string
      readonly token: string
      readonly to: string
      readonly amount: bigint
      readonly ref: bigint
    }

const SPEND_PERMISSIONS = SPEND_PERMISSIONS_ADDRESS.toLowerCase()
export const NO_SPENDS: SpendState = { rules: new Map(), refs: new Set() }

/** `spend(address,address,bytes32,address,uint256,uint256)`. */
const SPEND = '0x01c8e8af'
/** `available(address,address,address,bytes32)`. */
const AVAILABLE = '0x77103720'
/** `isRefUsed(bytes32,uint256)`. */
const IS_REF_USED = '0xab54acb7'
const NOTHING: SpendRule = { limit: 0n, cap: 0n, spent: 0n }
const PERMISSION_SPENT = toEventHash(
  'PermissionSpent(address,address,bytes32,address,address,uint256,uint256)',
)

/** Reads a transaction's call; undefined for any other. */
export function readSpend(
  crypto: EvmCrypto,
  { to, data }: BatchedCall,
  spender: string,
): SpendCall | undefined {
  if (to !== SPEND_PERMISSIONS || !data.startsWith(SPEND)) return undefined
  const { address, bytes32, uint } = readWords(data)
  const [owner, token] = [address(0), address(1)]
  return {
    kind: 'spend',
    id: permissionId(crypto, { owner, spender: spender as `0x${string}`, token, scope: bytes32(2) }),
    owner,
    spender,
    token,
    to: address(3),
    amount: uint(4),
    ref: uint(5),
  }
}

/** The result of a spend before the token moves anything: the contract's checks, in its order. */
function judgeSpend(state: SpendState, call: SpendCall & { kind: 'spend' }): SpendRefusal | SpendState {
  const { id, amount, ref } = call
  if (state.refs.has(`${id} ${ref}`)) return 'RefUsed'
  const rule = state.rules.get(id)
  if (rule === undefined || rule.limit === 0n) return 'NotPermitted'
  if (amount === 0n) return 'AmountZero'
  if (amount > rule.limit) return 'AboveLimit'
  if (amount > rule.cap - rule.spent) return 'AboveCap'
  return {
    rules: new Map(state.rules).set(id, { ...rule, spent: rule.spent + amount }),
    refs: new Set(state.refs).add(`${id} ${ref}`),
  }
}

/** New terms; a limit of zero revokes. The spent amount stays. */
export function setTerms(state: SpendState, id: string, { limit, cap }: SpendTerms): SpendState {
  const spent = state.rules.get(id)?.spent ?? 0n
  return { ...state, rules: new Map(state.rules).set(id, { limit, cap: cap < spent ? spent : cap, spent }) }
}

/** Answers read calls of SpendPermissions; undefined for any other call. */
export function answerOfSpends(
  crypto: EvmCrypto,
  { to, data }: BatchedCall,
  stateOf: () => { readonly spends?: SpendState; readonly balances: ReadonlyMap<string, bigint> },
): bigint | undefined {
  if (to !== SPEND_PERMISSIONS) return undefined
  const { spends = NO_SPENDS, balances } = stateOf()
  const { address, bytes32, uint } = readWords(data)
  if (data.startsWith(IS_REF_USED)) return spends.refs.has(`${bytes32(0)} ${uint(1)}`) ? 1n : 0n
  if (!data.startsWith(AVAILABLE)) return undefined
  const [owner, spender, token, scope] = [address(0), address(1), address(2), bytes32(3)]
  const id = permissionId(crypto, { owner, spender, token, scope })
  const { limit, cap, spent } = spends.rules.get(id) ?? NOTHING
  const amounts = [limit, cap - spent, balances.get(owner) ?? 0n]
  return amounts.reduce((least, amount) => (amount < least ? amount : least))
}

/** The parameters of a call as words of 64 digits, as addresses and as numbers. */
export function readWords(data: string) {
  const digits = (index: number): string => data.slice(10 + index * 64, 74 + index * 64)
  return {
    bytes32: (index: number) => `0x${digits(index)}` as const,
    address: (index: number) => `0x${digits(index).slice(24)}` as const,
    uint: (index: number) => BigInt(`0x${digits(index)}`),
  }
}
