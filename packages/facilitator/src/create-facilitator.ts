import type { AddressInfo } from 'node:net'
import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { FastifyInstance } from 'fastify'
import { createChainReader, refuseChain } from './chain/chain-reader.ts'
import { createObserver } from './chain/observe-together.ts'
import { createKnownChain } from './chain/known-chain.ts'
import { createReadPayerCodes } from './chain/payer-code.ts'
import { createRelayers } from './relayer/account/create-relayers.ts'
import { createRelayerNode } from './relayer/account/relayer-node.ts'
import { agreeWithSecond, createSecondNode } from './chain/second-node.ts'
import { createHasBatchSettler } from './relayer/account/has-batch-settler.ts'
import { startSettlementLoop, type SettlementLoop } from './relayer/settlement-loop.ts'
import { watchChain, type ChainWatch } from './relayer/watch-chain.ts'
import { systemClock, type Clock } from '@farebox/server/clock'
import { createAnnounceBudget } from './engine/announce-budget.ts'
import { announceConclusions } from './engine/announce-conclusions.ts'
import type { Engine } from './engine/engine.ts'
import { recoverCharge } from './engine/recover-charge.ts'
import { rememberProofs } from './engine/remember-proofs.ts'
import { createReportedSettlements } from './engine/reported-settlements.ts'
import { createSettlementWaiters } from './engine/settlement-waiters.ts'
import { limitCallers } from './http/caller.ts'
import { createApp } from './http/create-app.ts'
import { addHealthRoutes } from './http/health-routes.ts'
import { addOwnersRoutes } from './http/owners-routes.ts'
import { addReleaseRoute } from './http/release-route.ts'
import { addSecretsRoutes } from './http/secrets-routes.ts'
import { addSettleRoute } from './http/settle-route.ts'
import { addSupportedRoute } from './http/supported-route.ts'
import { addVerifyRoute } from './http/verify-route.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Conclusion } from './ledger/settlement-ledger.ts'
import { DEFAULT_LIMITS, type FacilitatorLimits } from './facilitator-limits.ts'
import { silentLog, type Log } from '@farebox/server/log'
import { createMetrics, type Metrics, type MetricSources } from './metrics.ts'
import { startReconciler, type Reconciler } from './reconcile/reconcile.ts'
import { readinessChecks } from './readiness.ts'
import { createScrapeSources } from './scrape-sources.ts'
import { createAuthenticate } from './secrets/authenticate.ts'

/** What a facilitator is made of. */
export interface FacilitatorOptions {
  /** Closed by the caller, after the facilitator. */
  readonly ledger: Ledger
  /** A node of the network; closed by the caller. */
  readonly rpc: JsonRpc
  /** A node of another provider: a settlement counts only when both say so. Closed by the caller. */
  readonly secondRpc?: JsonRpc
  /** By how much our clock is ahead of the node's, for certain (see `createClockMeter`); without it blocks alone tell. */
  readonly aheadOfNodeSeconds?: () => number
  readonly network: Network
  readonly crypto: EvmCrypto
  /** 32 bytes of `0x` hex each: the accounts that pay the gas, and hold nothing else; one at least. */
  readonly relayerKeys: readonly string[]
  /** The platform's service token; without it secrets cannot be administered over HTTP. */
  readonly adminToken?: string
  readonly clock?: Clock
  readonly log?: Log
  readonly limits?: Partial<FacilitatorLimits>
}

/** A facilitator at work: settling as long as it is open, answering once it listens. */
export interface Facilitator {
  /** The HTTP application; `inject` works without a socket. */
  readonly app: FastifyInstance
  readonly metrics: Metrics
  /** Lower-case addresses of the accounts that pay the gas. */
  readonly relayers: readonly string[]
  /** Begins to answer; port 0 takes a free one. Resolves with the URL. */
  listen(options: { readonly port: number; readonly host?: string }): Promise<string>
  /** Answers what is in flight, saves and lets go of the rest. The ledger stays open. */
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
 * import { systemClock } from '@farebox/server/clock'
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
  const { ledger, rpc, network, crypto, clock = systemClock, log = silentLog } = options
  const limits: FacilitatorLimits = { ...DEFAULT_LIMITS, ...options.limits }
  const wrongChain = await refuseChain(rpc, network, crypto)
  if (wrongChain !== undefined) throw new Error(wrongChain)
  const secondWrong = options.secondRpc && (await refuseChain(options.secondRpc, network, crypto))
  if (secondWrong !== undefined) throw new Error(`the second node: ${secondWrong}`)

  let sources: MetricSources | undefined
  const metrics = createMetrics(() => sources)
  const relayers = createRelayers(crypto, network, options.relayerKeys)
  const node = createRelayerNode(rpc, clock)
  const second =
    options.secondRpc &&
    createSecondNode(options.secondRpc, createChainReader(options.secondRpc, network, clock), network)
  const reader = agreeWithSecond(createChainReader(rpc, network, clock), second)
  const observe = createObserver(reader, clock)
  const readCodes = createReadPayerCodes({ rpc, crypto, clock }, limits.knownCodes)
  const waiters = createSettlementWaiters(ledger.payments, clock, network)
  let reconciler: Reconciler | undefined
  const watch = await watchChain({
    chain: createKnownChain(rpc, network, clock),
    node,
    relayers,
    clock,
    log,
    metrics,
    ...limits,
    // At the start everything is compared anyway.
    aheadOfNodeSeconds: options.aheadOfNodeSeconds ?? (() => 0),
    onReorganised: from => reconciler?.revisitReplaced(from),
  })
  const confirmChain = (): Promise<void> => watch.confirmChain()
  const reported = createReportedSettlements(clock)
  const onConcluded = (conclusions: readonly Conclusion[]): void => {
    for (const { key } of conclusions) reported.recorded(key)
    announceConclusions(waiters, conclusions)
  }
  const { settlements, leases } = ledger
  const settlementLoop = startSettlementLoop({
    network,
    relayers,
    node,
    reader,
    observe,
    readCodes,
    hasSettler: createHasBatchSettler(rpc, clock),
    settlements,
    leases,
    clock,
    log,
    metrics,
    onConcluded,
    onProven: paid => {
      for (const { key, transaction } of paid) {
        reported.reported(key)
        waiters.announce(key, { kind: 'settled', transaction })
      }
    },
    confirmChain,
    reorganisations: () => watch.reorganisations(),
    noteBlock: block => watch.noteBlock(block),
    blockMs: () => watch.blockMs(),
    canPay: (relayer, payments) => watch.canPay(relayer, payments),
    second,
    ...limits,
  })
  const unsubscribe = ledger.signals.subscribe(signal => {
    if (signal.kind === 'captured') settlementLoop.wake()
    else waiters.lookAgain(signal.payments)
  })
  reconciler = startReconciler({
    ledger,
    reader,
    network,
    clock,
    log,
    metrics,
    onConcluded,
    confirmChain,
    everyMs: limits.reconcileMs,
  })
  sources = createScrapeSources({
    ledger,
    network,
    rpc,
    node,
    relayers: relayers.map(({ address }) => address),
    settlementLoop,
    watch,
    clock,
    ownerLimits: limits.owners,
  })
  const engine: Engine = {
    network,
    verifier: rememberProofs(createSignatureVerifier(crypto, [network])),
    ledger: ledger.payments,
    waiters,
    isBeingWritten: payer => reported.isOf(payer),
    clock,
    ...limits,
    ownerLimits: limits.owners,
    readCode: async payer => (await readCodes([payer]))[0]?.kind ?? 'unknown',
    log,
    announceBudget: createAnnounceBudget({ clock, log }),
    observe: async payment => await seen(watch, observe(payment)),
    blockSeconds: blockNumber => reader.readBlockSeconds(blockNumber),
    chainNow: () => watch.chainNow(),
    unavailable: () => watch.unusable(),
    recoverCharge: (caller, request) => recoverCharge({ reader, audit: ledger.audit }, caller, request),
    chargeAtOnce: request => settlementLoop.chargeAtOnce(request),
    onCaptured(isSent) {
      metrics.payments.inc({ state: 'captured', reason: '' })
      if (!isSent) wakeSettlementLoop(settlementLoop, ledger)
    },
  }

  const app = createApp(log)
  const admission = {
    authenticate: createAuthenticate(ledger.secrets, clock),
    mayAsk: limitCallers(limits.requestsPerSecond, clock),
  }
  addVerifyRoute(app, engine, admission, metrics)
  addSettleRoute(app, engine, admission, metrics)
  addReleaseRoute(app, ledger.payments, admission, metrics)
  addSupportedRoute(
    app,
    network,
    relayers.map(({ address }) => address),
  )
  if (options.adminToken !== undefined) {
    const { adminToken } = options
    const { secrets, owners } = ledger
    addSecretsRoutes(app, { secrets, crypto, clock, adminToken })
    addOwnersRoutes(app, { owners, limits: limits.owners, clock, adminToken })
  }
  addHealthRoutes(app, readinessChecks(ledger, reader, watch, network, clock), () => watch.skew())
  return {
    app,
    metrics,
    relayers: relayers.map(({ address }) => address),
    async listen({ port, host = '127.0.0.1' }) {
      await app.listen({ port, host })
      return urlOf(app)
    },
    async close() {
      await app.close()
      unsubscribe()
      await Promise.all([settlementLoop.close(), watch.close()])
      await reconciler.close()
    },
  }
}

async function seen<Block extends { readonly blockSeconds: number }>(
  watch: ChainWatch,
  observing: Promise<Block>,
): Promise<Block> {
  const observation = await observing
  watch.sawBlock(observation.blockSeconds)
  return observation
}

/** The settlement loop may run in another process: that one is told too. */
function wakeSettlementLoop(settlementLoop: SettlementLoop, ledger: Ledger): void {
  if (settlementLoop.holdsLease()) settlementLoop.wake()
  else void ledger.signals.publish({ kind: 'captured' })
}

function urlOf(app: FastifyInstance): string {
  const address: AddressInfo | string | null = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the facilitator listens on no port')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}
