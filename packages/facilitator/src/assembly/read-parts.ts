import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { silentLog, type Log } from '@farebox/server/log'
import { createChainReader, refuseChain, type ChainReader } from '../chain/chain-reader.ts'
import { createObserver } from '../chain/observe-together.ts'
import { createReadPayerCodes, type ReadPayerCodes } from '../chain/payer-code.ts'
import { agreeWithSecond, createSecondNode, type SecondNode } from '../chain/second-node.ts'
import { DEFAULT_LIMITS, type FacilitatorLimits } from '../facilitator-limits.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Metrics } from '../metrics.ts'
import { createRelayers } from '../relayer/account/create-relayers.ts'
import { createRelayerNode, type RelayerNode } from '../relayer/account/relayer-node.ts'

/** The parts of a facilitator. */
export interface FacilitatorOptions {
  /** Closed by the caller, after the facilitator. */
  readonly ledger: Ledger
  /** A node of the network; closed by the caller. */
  readonly rpc: JsonRpc
  /** A node of another provider: a settlement counts only when both nodes confirm it. Closed by the caller. */
  readonly secondRpc?: JsonRpc
  /**
   * Seconds by which our clock is provably ahead of the node's (see `createClockMeter`); without it only block times are
   * compared.
   */
  readonly aheadOfNodeSeconds?: () => number
  readonly network: Network
  readonly crypto: EvmCrypto
  /** Private keys of the accounts that pay the gas and hold nothing else: 32 bytes of `0x` hex each, at least one. */
  readonly relayerKeys: readonly string[]
  /** The platform's service token; without it secrets cannot be administered over HTTP. */
  readonly adminToken?: string
  readonly clock?: Clock
  readonly log?: Log
  readonly limits?: Partial<FacilitatorLimits>
}

/** The options with their defaults, and the parts that read the chain and write to it. */
export interface Parts extends Pick<
  FacilitatorOptions,
  'ledger' | 'rpc' | 'network' | 'crypto' | 'adminToken'
> {
  readonly clock: Clock
  readonly log: Log
  readonly limits: FacilitatorLimits
  readonly metrics: Metrics
  readonly aheadOfNodeSeconds: () => number
  readonly relayers: ReturnType<typeof createRelayers>
  readonly node: RelayerNode
  readonly second: SecondNode | undefined
  /** Reads both nodes if there are two. */
  readonly reader: ChainReader
  readonly observe: ReturnType<typeof createObserver>
  readonly readCodes: ReadPayerCodes
}

/**
 * Creates the parts that only read the chain and sign.
 *
 * @throws {RangeError} for a malformed relayer key, for two identical keys, and without any key
 */
export function readParts(options: FacilitatorOptions, metrics: Metrics): Parts {
  const { ledger, rpc, secondRpc, network, crypto, adminToken } = options
  const { clock = systemClock, log = silentLog } = options
  const limits: FacilitatorLimits = { ...DEFAULT_LIMITS, ...options.limits }
  const second =
    secondRpc && createSecondNode(secondRpc, createChainReader(secondRpc, network, clock), network)
  const reader = agreeWithSecond(createChainReader(rpc, network, clock), second)
  return {
    ledger,
    rpc,
    network,
    crypto,
    ...(adminToken !== undefined && { adminToken }),
    clock,
    log,
    limits,
    metrics,
    aheadOfNodeSeconds: options.aheadOfNodeSeconds ?? (() => 0),
    relayers: createRelayers(crypto, network, options.relayerKeys),
    node: createRelayerNode(rpc, clock),
    second,
    reader,
    observe: createObserver(reader, clock),
    readCodes: createReadPayerCodes({ rpc, crypto, clock }, limits.knownCodes),
  }
}

/** Rejects when a node is on another network, when its USDC is not the known one, or when it cannot be reached. */
export async function refuseWrongChain({
  rpc,
  secondRpc,
  network,
  crypto,
}: FacilitatorOptions): Promise<void> {
  const wrong = await refuseChain(rpc, network, crypto)
  if (wrong !== undefined) throw new Error(wrong)
  const secondWrong = secondRpc && (await refuseChain(secondRpc, network, crypto))
  if (secondWrong !== undefined) throw new Error(`the second node: ${secondWrong}`)
}
