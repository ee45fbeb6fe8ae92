import type { AddressInfo } from 'node:net'
import { createDrain } from '@farebox/server/internal/drain'
import type { FastifyInstance } from 'fastify'
import { createEngine } from './assembly/create-engine.ts'
import { createRoutes } from './assembly/create-routes.ts'
import { readParts, refuseWrongChain, type FacilitatorOptions } from './assembly/read-parts.ts'
import { startSettling } from './assembly/start-settling.ts'
import { createFacilitatorMetrics, type Metrics, type MetricSources } from './metrics.ts'
import { createScrapeSources } from './scrape-sources.ts'

export type { FacilitatorOptions } from './assembly/read-parts.ts'

/** A running facilitator: it settles until it is closed, and serves requests after `listen`. */
export interface Facilitator {
  /** The HTTP application; `inject` works without a socket. */
  readonly app: FastifyInstance
  readonly metrics: Metrics
  /** Lower-case addresses of the accounts that pay the gas. */
  readonly relayers: readonly string[]
  /** Starts to serve requests; port 0 takes a free port. Resolves with the URL. */
  listen(options: { readonly port: number; readonly host?: string }): Promise<string>
  /** Makes `/ready` answer 503, and each answer the last one of its connection. */
  drain(): void
  /** Completes the requests in flight, saves all other work and releases the leases. The ledger stays open. */
  close(): Promise<void>
}

/**
 * Makes a facilitator: takes up what an earlier process left, then verifies, holds, settles and proves.
 *
 * Rejects when the node is not on the network, its USDC is not the one we know, or ledger or node cannot be
 * reached;
 * throws a `RangeError` for a relayer key that is none, for two that are the same, and without any.
 *
 * @example
 * ```ts
 * import { createFacilitator } from '@farebox/facilitator/create-facilitator'
 * import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import { findNetwork } from '@farebox/payments/networks'
 * import { systemClock } from '@farebox/protocol/time/clock'
 *
 * const network = findNetwork('eip155:84532')
 * if (network === undefined) throw new Error('no such network')
 * const facilitator = await createFacilitator({
 *   ledger: await openPostgresLedger({
 *     connectionString: process.env['DATABASE_URL'] ?? '',
 *     clock: systemClock,
 *   }),
 *   rpc: createJsonRpc('https://sepolia.base.org'),
 *   network,
 *   crypto: await loadEvmCrypto(),
 *   relayerKeys: [process.env['RELAYER_PRIVATE_KEY'] ?? ''],
 * })
 * console.log(await facilitator.listen({ port: 4010 }))
 * ```
 */
export async function createFacilitator(options: FacilitatorOptions): Promise<Facilitator> {
  await refuseWrongChain(options)
  // The counters exist from the start; the gauges get their sources once the parts are running.
  let sources: MetricSources | undefined
  const metrics = createFacilitatorMetrics(() => sources)
  const parts = readParts(options, metrics)
  const settling = await startSettling(parts)
  const engine = createEngine(parts, settling)
  const drain = createDrain()
  const app = createRoutes(parts, engine, { watch: settling.watch, drain })
  const { ledger, network, rpc, node, clock, limits } = parts
  const { watch, settlementLoop } = settling
  const relayers = parts.relayers.map(({ address }) => address)
  const ownerLimits = limits.owners
  sources = createScrapeSources({
    ledger,
    network,
    rpc,
    node,
    relayers,
    settlementLoop,
    watch,
    clock,
    ownerLimits,
  })
  return {
    app,
    metrics,
    relayers,
    async listen({ port, host = '127.0.0.1' }) {
      await app.listen({ port, host })
      return urlOf(app)
    },
    drain: drain.begin,
    async close() {
      await app.close()
      await settling.close()
    },
  }
}

function urlOf(app: FastifyInstance): string {
  const address: AddressInfo | string | null = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the facilitator listens on no port')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}
