import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { within } from '@farebox/protocol/internal/time/within'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { RelayerNode } from './relayer/account/relayer-node.ts'
import type { SettlementLoop } from './relayer/settlement-loop.ts'
import type { ChainWatch } from './relayer/watch-chain.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { OwnerLimits } from './ledger/owner-ledger.ts'
import type { MetricSources, RelayerReading } from './metrics.ts'

/** The time limit of a source: Prometheus gives up after ten seconds and would get no values at all. */
const TIMEOUT_MS = 2_000
/** All gauges of one scrape share one reading. */
const KEPT_MS = 500

/** The sources of the gauges, each with a time limit; a value that does not arrive in time is undefined. */
export function createScrapeSources(parts: {
  readonly ledger: Ledger
  readonly network: Network
  readonly rpc: JsonRpc
  readonly node: RelayerNode
  readonly relayers: readonly string[]
  readonly settlementLoop: SettlementLoop
  readonly watch: ChainWatch
  readonly clock: Clock
  readonly ownerLimits: OwnerLimits
}): MetricSources {
  const { ledger, network, rpc, node, relayers, settlementLoop, watch, clock, ownerLimits } = parts
  const known = <T>(read: () => Promise<T>): (() => Promise<T | undefined>) =>
    keep(clock, () => inTime(clock, read()))
  return {
    totals: known(() => ledger.totals(network.id, nowSeconds(clock))),
    nearLimits: known(() => ledger.owners.nearLimits(ownerLimits, nowSeconds(clock))),
    pool: () => ledger.pool?.(),
    lagSeconds: () => watch.lagSeconds(),
    blocksBehind: known(async () => readBlocksBehind(await rpc.call('eth_syncing', []))),
    relayers: known(() =>
      Promise.all(
        relayers.map(relayer =>
          readRelayer(relayer, settlementLoop.openNonces(relayer), () => node.nonce(relayer)),
        ),
      ),
    ),
  }
}

async function readRelayer(
  relayer: string,
  open: readonly number[],
  next: () => Promise<number>,
): Promise<RelayerReading> {
  if (open.length === 0) return { relayer, open: 0, nonceGap: 0 }
  return { relayer, open: open.length, nonceGap: Math.max(0, Math.min(...open) - (await next())) }
}

/** The node's answer is `false` when it is at the head; some nodes omit fields. */
function readBlocksBehind(syncing: unknown): number {
  if (typeof syncing !== 'object' || syncing === null) return 0
  const { currentBlock, highestBlock } = syncing as { readonly [key: string]: unknown }
  const behind = Number(highestBlock) - Number(currentBlock)
  return Number.isFinite(behind) ? Math.max(0, behind) : 0
}

async function inTime<T>(clock: Clock, reading: Promise<T>): Promise<T | undefined> {
  return await within(
    clock,
    TIMEOUT_MS,
    reading.catch(() => undefined),
  )
}

/**
 * Runs one reading at a time and keeps it for a moment: a client that scrapes continuously costs no more than one that
 * scrapes once a second.
 */
export function keep<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly value: Promise<T>; readonly untilMs: number } | undefined
  return () => {
    if (kept === undefined || clock.nowMs() >= kept.untilMs)
      kept = { value: read(), untilMs: clock.nowMs() + KEPT_MS }
    return kept.value
  }
}
