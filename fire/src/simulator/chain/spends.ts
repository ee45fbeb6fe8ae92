import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { uintWord } from '@farebox/contracts/src/abi-words'
import { addressTopic, word } from '@farebox/payments/src/chain/rpc-words'
import { encodeErrorResult } from 'viem/utils'
import type { ContractCall } from '@farebox/facilitator/src/chain/calldata'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import type { SpendRefusal } from '@farebox/contracts/permission-calls'

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
/** What a node estimates for one. */
export const SPEND_GAS = 90_000n
export const NO_SPENDS: SpendState = { rules: new Map(), refs: new Set() }

/** `spend(address,address,bytes32,address,uint256,uint256)`. */
const SPEND = '0x01c8e8af'
/** `available(address,address,address,bytes32)`. */
const AVAILABLE = '0x77103720'
/** `isRefUsed(bytes32,uint256)`. */
const IS_REF_USED = '0xab54acb7'
const NOTHING: SpendRule = { limit: 0n, cap: 0n, spent: 0n }
export const PERMISSION_SPENT = 'PermissionSpent(address,address,bytes32,address,address,uint256,uint256)'

/** The revert data of a refusal by name; undefined for the words of another contract. */
export function refusalData(name: string): string | undefined {
  const isOurs = spendPermissionsAbi.some(part => part.type === 'error' && part.name === name)
  return isOurs ? encodeErrorResult({ abi: spendPermissionsAbi, errorName: name as SpendRefusal }) : undefined
}

/** Reads a transaction's call; undefined for any other. `idOf` hashes owner, spender, token and scope. */
export function readSpend(
  { to, data }: ContractCall,
  spender: string,
  idOf: (words: string) => string,
): SpendCall | undefined {
  if (to !== SPEND_PERMISSIONS || !data.startsWith(SPEND)) return undefined
  const at = (index: number): string => data.slice(10 + index * 64, 74 + index * 64)
  const address = (index: number): string => `0x${at(index).slice(24)}`
  return {
    kind: 'spend',
    id: idOf(`${at(0)}${word(spender)}${at(1)}${at(2)}`),
    owner: address(0),
    spender,
    token: address(1),
    to: address(3),
    amount: BigInt(`0x${at(4)}`),
    ref: BigInt(`0x${at(5)}`),
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

/** Answers what SpendPermissions is asked; undefined for any other call. `idOf` hashes owner, spender, token and scope. */
export function readSpendQuestion(
  { to, data }: Partial<ContractCall>,
  stateOf: () => { readonly spends?: SpendState; readonly balances: ReadonlyMap<string, bigint> },
  idOf: (words: string) => string,
): bigint | undefined {
  if (to?.toLowerCase() !== SPEND_PERMISSIONS || data === undefined) return undefined
  const { spends = NO_SPENDS, balances } = stateOf()
  if (data.startsWith(AVAILABLE)) {
    const { limit, cap, spent } = spends.rules.get(idOf(data.slice(10))) ?? NOTHING
    const amounts = [limit, cap - spent, balances.get(`0x${data.slice(34, 74)}`) ?? 0n]
    return amounts.reduce((least, amount) => (amount < least ? amount : least))
  }
  if (!data.startsWith(IS_REF_USED)) return undefined
  return spends.refs.has(`0x${data.slice(10, 74)} ${BigInt(`0x${data.slice(74, 138)}`)}`) ? 1n : 0n
}

/** The event of a spend, `topic` the hash of {@link PERMISSION_SPENT}. */
export function spentLog(call: SpendCall & { kind: 'spend' }, topic: string): ChainLog {
  return {
    address: SPEND_PERMISSIONS,
    topics: [topic, addressTopic(call.owner), addressTopic(call.spender), call.id],
    data: `0x${word(call.token)}${word(call.to)}${uintWord(call.amount)}${uintWord(call.ref)}`,
  }
}
