import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import type { SpendRefusal } from '@farebox/contracts/permission-calls'

/** What an owner permits; without a limit nothing. */
export interface SpendTerms {
  readonly limit: bigint
  /** Of all spends together, since the permission was first set. */
  readonly cap: bigint
}

/** One permission, by its id in {@link SpendState}. */
export interface SpendRule extends SpendTerms {
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

export const SPEND_PERMISSIONS = SPEND_PERMISSIONS_ADDRESS.toLowerCase()
/** What a node estimates for one. */
export const SPEND_GAS = 90_000
export const NO_SPENDS: SpendState = { rules: new Map(), refs: new Set() }

/** `spend(address,address,bytes32,address,uint256,uint256)`. */
const SPEND = '0x01c8e8af'
/** keccak256 of `PermissionSpent(address,address,bytes32,address,address,uint256,uint256)`, computed outside the simulator. */
export const PERMISSION_SPENT = 'PermissionSpent(address,address,bytes32,address,address,uint256,uint256)'

const SELECTORS: { readonly [name in SpendRefusal]: string } = {
  RefUsed: '0xb1a9c4a7',
  NotPermitted: '0x39218f3b',
  PermissionExpired: '0x4e3f8b30',
  AmountZero: '0xcbca5aa2',
  AboveLimit: '0xbaf684fe',
  AboveCap: '0x5ae8122a',
  RecipientNotListed: '0x34f8da7b',
}

/** The revert data of a refusal by name; undefined for the words of another contract. */
export function refusalData(name: string): string | undefined {
  const selectors: { readonly [name: string]: string } = SELECTORS
  return selectors[name]
}

/** Reads a transaction's call; undefined for any other. `idOf` hashes owner, spender, token and scope. */
export function readSpend(
  { to, data }: { readonly to: string; readonly data: string },
  spender: string,
  idOf: (words: string) => string,
): SpendCall | undefined {
  if (to !== SPEND_PERMISSIONS || !data.startsWith(SPEND)) return undefined
  const word = (index: number): string => data.slice(10 + index * 64, 74 + index * 64)
  const address = (index: number): string => `0x${word(index).slice(24)}`
  return {
    kind: 'spend',
    id: idOf(`${word(0)}${spender.slice(2).padStart(64, '0')}${word(1)}${word(2)}`),
    owner: address(0),
    spender,
    token: address(1),
    to: address(3),
    amount: BigInt(`0x${word(4)}`),
    ref: BigInt(`0x${word(5)}`),
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

/** What one spend could move, its owner's balance left out. */
export function permittedNow({ rules }: SpendState, id: string): bigint {
  const rule = rules.get(id)
  if (rule === undefined) return 0n
  const left = rule.cap - rule.spent
  return rule.limit < left ? rule.limit : left
}

/** The event of a spend, `topic` the hash of {@link PERMISSION_SPENT}. */
export function spentLog(call: SpendCall & { kind: 'spend' }, topic: string): ChainLog {
  const words = [BigInt(call.token), BigInt(call.to), call.amount, call.ref].map(value =>
    value.toString(16).padStart(64, '0'),
  )
  const padded = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
  return {
    address: SPEND_PERMISSIONS,
    topics: [topic, padded(call.owner), padded(call.spender), call.id],
    data: `0x${words.join('')}`,
  }
}
