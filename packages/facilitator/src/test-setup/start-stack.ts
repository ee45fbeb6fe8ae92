import { randomBytes } from 'node:crypto'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { FacilitatorRequest, ReleaseRequest } from '@farebox/payments/x402/facilitator-api'
import {
  createFacilitatorClient,
  type FacilitatorClient,
  type SettleOutcome,
  type VerifyOutcome,
} from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { systemClock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { createFacilitator, type Facilitator, type FacilitatorOptions } from '../create-facilitator.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openPostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import { mintSecret } from '../secrets/secret-form.ts'
import {
  facilitatorRequest,
  freshBinding,
  freshKey,
  NETWORK,
  PAY_TO,
  PRICE,
  signAuthorization,
} from './payments-for-tests.ts'

/** The PostgreSQL of the tests; FAREBOX_TEST_DATABASE_URL sets another. */
export const TEST_DATABASE_URL =
  process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const AS_LONG_AS_IT_TAKES = { timeoutMs: 600_000 }
const ADMIN_TOKEN = 'admin-token-of-the-tests'

/** Is there a PostgreSQL to test with? Logs once when there is none. */
export async function hasPostgres(): Promise<boolean> {
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL, connectionTimeoutMillis: 2_000 })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    console.log(`no PostgreSQL at ${TEST_DATABASE_URL}: its tests are skipped`)
    return false
  }
}

/** Creates a schema for a test file, with a function that drops it. */
export async function createSchema(): Promise<{ readonly schema: string; drop(): Promise<void> }> {
  const schema = `facilitator_test_${randomBytes(6).toString('hex')}`
  return {
    schema,
    async drop() {
      const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
      await client.connect()
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    },
  }
}

/** A chain, a schema and everything that facilitators need on them. */
export interface Stack {
  readonly chain: LocalChain
  readonly rpc: JsonRpc
  readonly crypto: EvmCrypto
  readonly schema: string
  /** A secret that may take payments to {@link PAY_TO}. */
  readonly secret: string
  readonly owner: string
  /** A ledger on the stack's schema, closed with the stack. */
  openLedger(): Promise<Ledger>
  /** Starts a facilitator with its own ledger and account unless options say otherwise; it listens. */
  startFacilitator(options?: Partial<FacilitatorOptions>): Promise<RunningFacilitator>
  /** Creates an account with this much USDC. */
  createPayer(usdcAtomic: bigint): Promise<string>
  /** Creates a valid payment of a new payer, for a purpose of its own. */
  request(): Promise<FacilitatorRequest>
  stop(): Promise<void>
}

/** A facilitator that listens, and a client with the stack's secret. */
export interface RunningFacilitator extends Facilitator {
  readonly url: string
  readonly client: FacilitatorClient
  readonly ledger: Ledger
  /** Verifies as the facilitator's client does, without a time limit. */
  verify(request: FacilitatorRequest): Promise<VerifyOutcome>
  settle(request: FacilitatorRequest): Promise<SettleOutcome>
  release(hold: ReleaseRequest): Promise<void>
}

/** Starts a chain and prepares a schema; with `blockTimeSeconds` the chain makes blocks at intervals. */
export async function startStack(options: { readonly blockTimeSeconds?: number } = {}): Promise<Stack> {
  const chain = await startChain({ chainId: NETWORK.chainId, ...options })
  const { schema, drop } = await createSchema()
  const crypto = await loadEvmCrypto()
  const rpc = createJsonRpc(chain.rpcUrl)
  let funding = Promise.resolve()
  const open: { close(): Promise<unknown> }[] = []

  const openLedger = async (): Promise<Ledger> => {
    const ledger = await openPostgresLedger({
      connectionString: TEST_DATABASE_URL,
      schema,
      clock: systemClock,
      connections: 8,
    })
    open.push(ledger)
    return ledger
  }
  const createPayer = async (usdcAtomic: bigint): Promise<string> => {
    const key = freshKey()
    // Accounts are funded one at a time: the faucet is a single account, and parallel transactions would collide on its
    // nonces.
    funding = funding.then(async () => await fund(chain, crypto.addressOf(fromHex(key)), { usdcAtomic }))
    await funding
    return key
  }
  const { id, hash, secret } = mintSecret()
  const first = await openLedger()
  await first.secrets.create({
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
  return {
    chain,
    rpc,
    crypto,
    schema,
    secret,
    owner: 'owner',
    openLedger,
    async startFacilitator(options = {}) {
      const ledger = options.ledger ?? (await openLedger())
      const facilitator = await createFacilitator({
        rpc,
        network: NETWORK,
        crypto,
        adminToken: ADMIN_TOKEN,
        relayerKeys: [TEST_KEYS.relayer.privateKey],
        ...options,
        ledger,
        limits: {
          leaseMs: 800,
          reconcileMs: 500,
          settleWaitMs: 600_000,
          stuckAfterMs: 600_000,
          ...options.limits,
        },
      })
      const url = await facilitator.listen({ port: 0 })
      const client = createFacilitatorClient({ url, secret })
      open.unshift(client, facilitator)
      return {
        ...facilitator,
        url,
        client,
        ledger,
        verify: request => client.verify(request, AS_LONG_AS_IT_TAKES),
        settle: request => client.settle(request, AS_LONG_AS_IT_TAKES),
        release: hold => client.release(hold, AS_LONG_AS_IT_TAKES),
      }
    },
    createPayer,
    request: async () =>
      facilitatorRequest(await signAuthorization(crypto, await createPayer(PRICE)), {
        binding: freshBinding(),
      }),
    async stop() {
      for (const one of open) await one.close()
      await rpc.close()
      await drop()
      await chain.stop()
    },
  }
}
