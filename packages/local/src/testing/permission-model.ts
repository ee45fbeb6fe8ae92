import type { Address } from 'viem'

/** An action against SpendPermissions, or against a token that it moves. */
export type Attempt =
  | { readonly kind: 'set'; readonly key: Key; readonly terms: Terms }
  | { readonly kind: 'revoke'; readonly key: Key }
  | { readonly kind: 'spend'; readonly spend: SpendAttempt }
  | { readonly kind: 'approve'; readonly owner: Address; readonly token: Address; readonly amount: bigint }
  | { readonly kind: 'transfer'; readonly owner: Address; readonly token: Address; readonly amount: bigint }
  /** Makes this token call this spend, as its spender, before each of its transfers from now on. */
  | { readonly kind: 'arm'; readonly spend: SpendAttempt }

/** Identifies a permission. The id is the contract's, so that the model needs no hashes. */
export interface Key {
  readonly owner: Address
  readonly spender: Address
  readonly token: Address
  readonly id: string
}

export interface Terms {
  readonly limit: bigint
  readonly cap: bigint
  readonly expiry: bigint
  readonly recipients: readonly Address[]
}

/** A spend by the spender that the key names. */
export interface SpendAttempt {
  readonly key: Key
  readonly to: Address
  readonly amount: bigint
  readonly ref: bigint
}

interface Permission {
  readonly key: Key
  /** `undefined` when the permission was never set or was revoked. */
  readonly terms: Terms | undefined
  readonly cap: bigint
  readonly spent: bigint
  readonly nonce: bigint
}

/** How the tokens of the test behave. */
export interface TokenTraits {
  readonly failing: Address
  readonly feeTaking: Address
  readonly callingBack: Address
}

/**
 * The expected state of contract and tokens: a second, minimal implementation of the rules. Immutable; each change returns
 * a new model.
 */
export interface PermissionModel {
  readonly permissions: ReadonlyMap<string, Permission>
  readonly refs: ReadonlySet<string>
  /** The balance for each token and account. */
  readonly balances: ReadonlyMap<string, bigint>
  /** The allowance for each token and owner. */
  readonly allowances: ReadonlyMap<string, bigint>
  readonly armed: SpendAttempt | undefined
}

export function emptyModel(balances: ReadonlyMap<string, bigint>): PermissionModel {
  return { permissions: new Map(), refs: new Set(), balances, allowances: new Map(), armed: undefined }
}

export function placeOf(token: Address, account: Address): string {
  return `${token} ${account}`
}

/** Returns the model after an attempt in a block of this time, or `undefined` when the attempt must be refused. */
export function applyAttempt(
  model: PermissionModel,
  attempt: Attempt,
  time: bigint,
  traits: TokenTraits,
): PermissionModel | undefined {
  if (attempt.kind === 'set') return applySet(model, attempt.key, attempt.terms, time)
  if (attempt.kind === 'revoke') {
    const { cap: _, ...before } = permissionAt(model, attempt.key)
    return withPermission(model, {
      ...before,
      terms: undefined,
      cap: before.spent,
      nonce: before.nonce + 1n,
    })
  }
  if (attempt.kind === 'spend') return applySpend(model, attempt.spend, time, traits)
  if (attempt.kind === 'approve') {
    const place = placeOf(attempt.token, attempt.owner)
    return { ...model, allowances: new Map(model.allowances).set(place, attempt.amount) }
  }
  if (attempt.kind === 'transfer')
    return moveBalance(model, attempt.token, attempt.owner, undefined, attempt.amount)
  return { ...model, armed: attempt.spend }
}

/** The expected result of `available` at a time. */
export function availableAt(model: PermissionModel, key: Key, time: bigint): bigint {
  const { terms, cap, spent } = permissionAt(model, key)
  if (terms === undefined || time >= terms.expiry) return 0n
  const place = placeOf(key.token, key.owner)
  const bounds = [
    terms.limit,
    cap - spent,
    model.allowances.get(place) ?? 0n,
    model.balances.get(place) ?? 0n,
  ]
  return bounds.reduce((least, bound) => (bound < least ? bound : least))
}

/** The expected result of `totalLeft` at a time. */
export function totalLeftAt(model: PermissionModel, owner: Address, token: Address, time: bigint): bigint {
  let total = 0n
  for (const { key, terms, cap, spent } of model.permissions.values()) {
    const isLive = terms !== undefined && time < terms.expiry
    if (isLive && key.owner === owner && key.token === token) total += cap - spent
  }
  return total
}

export function permissionAt(model: PermissionModel, key: Key): Permission {
  return model.permissions.get(key.id) ?? { key, terms: undefined, cap: 0n, spent: 0n, nonce: 0n }
}

function applySet(model: PermissionModel, key: Key, terms: Terms, time: bigint): PermissionModel | undefined {
  if (terms.limit === 0n || terms.limit > terms.cap || terms.expiry <= time) return undefined
  const before = permissionAt(model, key)
  const cap = terms.cap < before.spent ? before.spent : terms.cap
  return withPermission(model, { ...before, terms, cap, nonce: before.nonce + 1n })
}

function applySpend(
  model: PermissionModel,
  { key, to, amount, ref }: SpendAttempt,
  time: bigint,
  traits: TokenTraits,
): PermissionModel | undefined {
  const permission = permissionAt(model, key)
  const { terms, cap, spent } = permission
  const refPlace = `${key.id} ${ref}`
  if (model.refs.has(refPlace) || terms === undefined || time >= terms.expiry) return undefined
  if (amount === 0n || amount > terms.limit || spent + amount > cap) return undefined
  if (terms.recipients.length > 0 && !terms.recipients.includes(to)) return undefined
  const counted = withPermission(
    { ...model, refs: new Set(model.refs).add(refPlace) },
    { ...permission, spent: spent + amount },
  )
  return applyTransfer(counted, key, to, amount, time, traits)
}

function applyTransfer(
  model: PermissionModel,
  { owner, token }: Key,
  to: Address,
  amount: bigint,
  time: bigint,
  traits: TokenTraits,
): PermissionModel | undefined {
  if (token === traits.failing) return undefined
  const { armed } = model
  const before =
    token === traits.callingBack && armed !== undefined
      ? (applySpend(model, armed, time, traits) ?? model)
      : model
  const place = placeOf(token, owner)
  const allowance = before.allowances.get(place) ?? 0n
  if (allowance < amount) return undefined
  const moved = moveBalance(before, token, owner, to, amount)
  if (moved === undefined) return undefined
  const fee = token === traits.feeTaking ? amount / 10n : 0n
  const balances = new Map(moved.balances)
  balances.set(placeOf(token, to), (balances.get(placeOf(token, to)) ?? 0n) - fee)
  return { ...moved, balances, allowances: new Map(before.allowances).set(place, allowance - amount) }
}

/**
 * Returns `undefined` when the balance is too small. Without `to`, the recipient is an account that the model does not
 * track.
 */
function moveBalance(
  model: PermissionModel,
  token: Address,
  from: Address,
  to: Address | undefined,
  amount: bigint,
): PermissionModel | undefined {
  const balances = new Map(model.balances)
  const held = balances.get(placeOf(token, from)) ?? 0n
  if (held < amount) return undefined
  balances.set(placeOf(token, from), held - amount)
  if (to !== undefined) balances.set(placeOf(token, to), (balances.get(placeOf(token, to)) ?? 0n) + amount)
  return { ...model, balances }
}

function withPermission(model: PermissionModel, permission: Permission): PermissionModel {
  return { ...model, permissions: new Map(model.permissions).set(permission.key.id, permission) }
}
