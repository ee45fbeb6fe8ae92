import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  TRANSFER_TOPIC,
} from '@farebox/payments/chain/chain-proof'
import { uintWord } from '@farebox/contracts/src/abi-words'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import { addressTopic } from '@farebox/payments/src/chain/rpc-words'
import { judgeSpend, NO_SPENDS, setTerms, spentLog, type SpendCall, type SpendState } from './spends.ts'

/** The token at one block: never changed, only replaced. */
export interface TokenState {
  readonly balances: ReadonlyMap<string, bigint>
  /** By {@link nonceKey}. */
  readonly spent: ReadonlyMap<string, 'used' | 'cancelled'>
  readonly isPaused: boolean
  /** Of the contract that moves the token by permission; absent: nobody has permitted anything. */
  readonly spends?: SpendState
}

/** A call of the token that changes it. */
export type TokenCall =
  | { readonly kind: 'pay'; readonly authorization: Authorization; readonly signature: string }
  | { readonly kind: 'cancel'; readonly from: string; readonly nonce: string }
  | { readonly kind: 'transfer'; readonly from: string; readonly to: string; readonly value: bigint }
  | { readonly kind: 'pause' | 'unpause' }
  | SpendCall

/** What a call came to. */
export type TokenOutcome =
  | { readonly ok: true; readonly state: TokenState; readonly logs: readonly ChainLog[] }
  | { readonly ok: false; readonly revert: string }

/** LocalUSDC without an EVM: the same order of checks, and the same words. */
export type Token = ReturnType<typeof createToken>

export function nonceKey(from: string, nonce: string): string {
  return `${from}:${nonce}`
}

/** Makes the token; `isSigned` says whether the payer signed exactly this, `spentTopic` is that of a spend's event. */
export function createToken(
  address: string,
  isSigned: (authorization: Authorization, signature: string) => boolean,
  spentTopic = '',
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
    const logs = [spentLog(call, spentTopic), ...moved.logs]
    return { ok: true, state: { ...moved.state, spends }, logs }
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
