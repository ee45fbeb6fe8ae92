import type { Log } from '@farebox/server/log'
import type { Metrics } from '../metrics.ts'
import { gasLimit, type Relayer } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'

/** The gas money of the relayer accounts. */
export interface GasMoney {
  /** How many settlements each account can pay for, by address. */
  readonly left: ReadonlyMap<string, bigint>
  /** Why no payment can be taken; undefined when payments can be taken. */
  readonly unusable: string | undefined
}

/** The dependencies of inspecting the gas money. */
export interface PurseParts {
  readonly node: RelayerNode
  /** The accounts that pay the gas. */
  readonly relayers: readonly Relayer[]
  readonly log: Log
  readonly metrics: Metrics
  readonly maxFeePerGas: bigint
  /** No new payment is taken when the gas money of all accounts together covers fewer settlements than this. */
  readonly minSettlementsLeft: number
}

/** Below this number of settlements a warning is logged, so that the operator can add money before it runs out (PAY-32). */
const WARN_SETTLEMENTS_LEFT = 1_000n
const WEI_PER_ETHER = 1e18

/** Reads the balances of the accounts and the price of gas. Rejects when the node gives no answer. */
export async function inspectPurse({
  node,
  relayers,
  log,
  metrics,
  maxFeePerGas,
  minSettlementsLeft,
}: PurseParts): Promise<GasMoney> {
  const fees = await node.fees()
  const balances = await Promise.all(relayers.map(({ address }) => node.balance(address)))
  const price = fees.baseFeePerGas + fees.maxPriorityFeePerGas
  const left = new Map<string, bigint>()
  relayers.forEach(({ address: relayer }, index) => {
    const balance = balances[index] ?? 0n
    const settlementsLeft = balance / (gasLimit(1) * fees.maxFeePerGas)
    left.set(relayer, settlementsLeft)
    metrics.relayerBalanceEther.set({ relayer }, Number(balance) / WEI_PER_ETHER)
    metrics.relayerSettlementsLeft.set({ relayer }, Number(settlementsLeft))
    if (settlementsLeft < WARN_SETTLEMENTS_LEFT)
      log.warn('relayer balance is low', { relayer, balance, settlementsLeft })
  })
  if (price > maxFeePerGas) {
    log.error('the gas price is above the cap', { price, cap: maxFeePerGas })
    return { left, unusable: 'the gas price is above this facilitator’s cap' }
  }
  const all = [...left.values()].reduce((sum, one) => sum + one, 0n)
  if (all >= BigInt(minSettlementsLeft)) return { left, unusable: undefined }
  log.error('relayer gas balance too low: new payments are refused', {
    settlementsLeft: all,
    minSettlementsLeft,
  })
  return { left, unusable: 'the relayer accounts have too little gas money' }
}

/** Can this account pay for a transaction with this many payments? */
export function canPayFrom(purse: GasMoney, relayer: string, payments: number): boolean {
  const left = purse.left.get(relayer)
  return left === undefined || left * gasLimit(1) >= gasLimit(payments)
}
