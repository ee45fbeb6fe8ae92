import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { uintWord } from '@farebox/contracts/src/abi-words'
import { addressTopic, word } from '@farebox/payments/src/chain/rpc-words'
import type { ContractCall } from '@farebox/facilitator/src/chain/calldata'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import { permissionId, type SpendRefusal } from '@farebox/contracts/permission-calls'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { readWords } from './read-words.ts'

/** What an owner permits; without a limit nothing. */
export interface SpendTerms {
  readonly limit: bigint
  /** Of all spends together, since the permission was first set. */
  readonly cap: bigint
}

/** One permission, by its id in {@link SpendState}. */
interface SpendRule extends SpendTerms {
  readonly spent: bigint
}

/** SpendPermissions at one block: never changed, only replaced. */
export interface SpendState {
  readonly rules: ReadonlyMap<string, SpendRule>
  /** `<id> <ref>` of each spend. */
  readonly refs: ReadonlySet<string>
}

/** A call of SpendPermissions that changes it. All addresses and words are lower-case hex. */
export type SpendCall =
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
export const PERMISSION_SPENT = 'PermissionSpent(address,address,bytes32,address,address,uint256,uint256)'

/** Reads a transaction's call; undefined for any other. */
export function readSpend(
  crypto: EvmCrypto,
  { to, data }: ContractCall,
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

/** What a spend comes to before the token moves anything: the contract's checks, in its order. */
export function judgeSpend(
  state: SpendState,
  call: SpendCall & { kind: 'spend' },
): SpendRefusal | SpendState {
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

/** New terms; those with a limit of zero revoke. What was spent stays spent. */
export function setTerms(state: SpendState, id: string, { limit, cap }: SpendTerms): SpendState {
  const spent = state.rules.get(id)?.spent ?? 0n
  return { ...state, rules: new Map(state.rules).set(id, { limit, cap: cap < spent ? spent : cap, spent }) }
}

/** Answers what SpendPermissions is asked; undefined for any other call. */
export function answerOfSpends(
  crypto: EvmCrypto,
  { to, data }: ContractCall,
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

/** The event of a spend, `topic` the hash of {@link PERMISSION_SPENT}. */
export function spentLog(call: SpendCall & { kind: 'spend' }, topic: string): ChainLog {
  return {
    address: SPEND_PERMISSIONS,
    topics: [topic, addressTopic(call.owner), addressTopic(call.spender), call.id],
    data: `0x${word(call.token)}${word(call.to)}${uintWord(call.amount)}${uintWord(call.ref)}`,
  }
}
