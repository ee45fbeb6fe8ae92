import { randomBytes } from 'node:crypto'
import { createFacilitator, type Facilitator } from '@farebox/facilitator/create-facilitator'
import type { FacilitatorLimits } from '@farebox/facilitator/facilitator-limits'
import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
import { mintSecret } from '@farebox/facilitator/src/secrets/secret-form'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { AUTHORIZATION_USED_TOPIC } from '@farebox/payments/chain/chain-proof'
import { addressTopic } from '@farebox/payments/src/chain/rpc-words'
import { paymentKey, type Authorization } from '@farebox/payments/authorization/eip-3009'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { HOLD_EXTENSION, type ReleaseRequest } from '@farebox/payments/x402/facilitator-api'
import {
  createFacilitatorClient,
  type FacilitatorClient,
  type SettleOutcome,
  type VerifyOutcome,
} from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { systemClock } from '@farebox/server/clock'
import type { Log } from '@farebox/server/log'
import pg from 'pg'
import { createFaultyNode, type FaultyNode } from './faulty-node.ts'
import type { StagedPayment } from './staged-payment.ts'

const DATABASE_URL = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const PRICE = 1_000n
const PAY_TO = TEST_KEYS.agent.address.toLowerCase()

/** A facilitator in this process between an agent's requests and a node that can be made to lie. */
export interface NodesStage {
  readonly chain: LocalChain
  readonly network: Network
  readonly crypto: EvmCrypto
  /** The schema of the ledger, for who looks at rows or puts back older ones. */
  readonly schema: string
  readonly database: pg.Pool
  /** Between facilitator and chain. */
  readonly node: FaultyNode
  /** For agents that are paid by it. */
  readonly facilitator: { readonly url: string; readonly secret: string }
  /** The facilitator's clock, so far ahead of the machine's. */
  readonly clock: { aheadMs: number }
  /** Messages of the facilitator's log, with their level. */
  readonly log: { readonly level: 'info' | 'warn' | 'error'; readonly message: string }[]
  /** A new payment of 0.001 USDC by a new payer, who has exactly that. */
  payment(terms?: { readonly validForSeconds?: number }): Promise<StagedPayment>
  verify(payment: StagedPayment): Promise<VerifyOutcome>
  /** An agent delivers when this says settled. */
  settle(payment: StagedPayment): Promise<SettleOutcome>
  release(hold: ReleaseRequest): Promise<void>
  /** How many transfers by this authorization the honest chain has. */
  transfers(payment: StagedPayment): Promise<number>
  ready(): Promise<{ readonly status: number; readonly body: string }>
  /** The sum of a counter, over its labels that contain the words. */
  counter(name: string, label?: string): Promise<number>
  stop(): Promise<void>
}

/** Patience of a test: what takes half a minute in production takes seconds here. */
const LIMITS: Partial<FacilitatorLimits> = {
  settleWaitMs: 4_000,
  leaseMs: 800,
  stuckAfterMs: 1_500,
  reconcileMs: 60_000,
  requestsPerSecond: 5_000,
}

/** Starts a chain with a block every second, a ledger on PostgreSQL and a facilitator on them. */
export async function startNodesStage(
  options: {
    readonly limits?: Partial<FacilitatorLimits>
    /** Another node that must agree, made of the honest chain's. */
    readonly hasSecondNode?: boolean
  } = {},
): Promise<NodesStage> {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one()
  }
  try {
    const chain = await startChain({ blockTimeSeconds: 1 })
    stops.push(chain.stop)
    const crypto = await loadEvmCrypto()
    const rpc = createJsonRpc(chain.rpcUrl)
    const clock = { aheadMs: 0 }
    const schema = `attack_nodes_${randomBytes(6).toString('hex')}`
    const database = new pg.Pool({ connectionString: DATABASE_URL, max: 2 })
    stops.push(
      () => rpc.close(),
      async () => {
        await database.query(`drop schema if exists ${schema} cascade`)
        await database.end()
      },
    )
    const node = createFaultyNode(rpc)
    const log: NodesStage['log'][number][] = []
    const started = await startFacilitator({
      rpc: node.rpc,
      network,
      crypto,
      schema,
      clock,
      log: remember(log),
      limits: { ...LIMITS, ...options.limits },
      secondRpc: options.hasSecondNode === true ? rpc : undefined,
    })
    stops.push(started.stop)
    const { facilitator, client, url, secret } = started
    return {
      facilitator: { url, secret },
      chain,
      network,
      crypto,
      schema,
      database,
      node,
      clock,
      log,
      payment: ({ validForSeconds = 300 } = {}) => signPayment({ chain, network, crypto }, validForSeconds),
      verify: ({ request }) => client.verify(request, { timeoutMs: 15_000 }),
      settle: ({ request }) => client.settle(request, { timeoutMs: 25_000 }),
      release: hold => client.release(hold, { timeoutMs: 15_000 }),
      transfers: payment => countTransfers(rpc, payment),
      async ready() {
        const { statusCode, body } = await facilitator.app.inject({ method: 'GET', url: '/ready' })
        return { status: statusCode, body }
      },
      async counter(name, label = '') {
        const page = await facilitator.metrics.registry.metrics()
        const lines = page.split('\n').filter(line => line.startsWith(`farebox_facilitator_${name}`))
        return lines
          .filter(line => line.includes(label))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startFacilitator(parts: {
  readonly rpc: JsonRpc
  readonly secondRpc: JsonRpc | undefined
  readonly network: Network
  readonly crypto: EvmCrypto
  readonly schema: string
  readonly clock: { readonly aheadMs: number }
  readonly log: Log
  readonly limits: Partial<FacilitatorLimits>
}): Promise<{
  readonly facilitator: Facilitator
  readonly client: FacilitatorClient
  readonly url: string
  readonly secret: string
  stop(): Promise<void>
}> {
  const { schema, clock, secondRpc, ...rest } = parts
  const moved = { ...systemClock, nowMs: () => Date.now() + clock.aheadMs }
  const ledger = await openPostgresLedger({ connectionString: DATABASE_URL, schema, clock: systemClock })
  const { id, hash, secret } = mintSecret()
  await ledger.secrets.create({
    id,
    hash,
    owner: 'owner',
    wallets: [PAY_TO],
    createdAt: 0,
    revokedAt: null,
    label: null,
    replaces: null,
    lastUsedAt: null,
  })
  const facilitator = await createFacilitator({
    ...rest,
    ledger,
    clock: moved,
    relayerKeys: [TEST_KEYS.relayer.privateKey],
    ...(secondRpc !== undefined && { secondRpc }),
  })
  const url = await facilitator.listen({ port: 0 })
  const client = createFacilitatorClient({ url, secret })
  return {
    facilitator,
    client,
    url,
    secret,
    async stop() {
      await client.close()
      await facilitator.close()
      await ledger.close()
    },
  }
}

async function signPayment(
  { chain, network, crypto }: Pick<NodesStage, 'chain' | 'network' | 'crypto'>,
  validForSeconds: number,
): Promise<StagedPayment> {
  const payerKey = `0x${randomBytes(32).toString('hex')}`
  const signer = privateKeySigner(crypto, payerKey)
  await fund(chain, signer.address, { usdcAtomic: PRICE })
  const authorization: Authorization = {
    from: signer.address,
    to: PAY_TO,
    value: PRICE.toString(),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + validForSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const signature = await signer.signTypedData(authorizationTypedData(network, authorization))
  const requirement = createRequirement({
    network,
    payTo: PAY_TO,
    amountAtomic: PRICE,
    maxDeadlineSeconds: 20,
  })
  const binding = `0x${randomBytes(32).toString('hex')}`
  return {
    network,
    key: paymentKey(network, authorization),
    payerKey,
    authorization,
    request: {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: requirement, payload: { authorization, signature } },
      paymentRequirements: requirement,
      extensions: { [HOLD_EXTENSION]: { binding } },
    },
  }
}

async function countTransfers(rpc: JsonRpc, { network, authorization }: StagedPayment): Promise<number> {
  const topics = [AUTHORIZATION_USED_TOPIC, addressTopic(authorization.from), authorization.nonce]
  const filter = { address: network.asset.address, fromBlock: '0x0', toBlock: 'latest', topics }
  const logs = await rpc.call('eth_getLogs', [filter])
  return Array.isArray(logs) ? logs.length : -1
}

function remember(log: NodesStage['log'][number][]): Log {
  const at =
    (level: 'info' | 'warn' | 'error') =>
    (message: string): void =>
      void log.push({ level, message })
  return { info: at('info'), warn: at('warn'), error: at('error') }
}
