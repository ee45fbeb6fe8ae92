import { randomBytes } from 'node:crypto'
import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { createFacilitator } from '@farebox/facilitator/create-facilitator'
import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { HOLD_EXTENSION, type FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import {
  createFacilitatorClient,
  type SettleOutcome,
  type VerifyOutcome,
} from '@farebox/payments/x402/facilitator-client'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { systemClock } from '@farebox/server/clock'
import type { Log } from '@farebox/server/log'
import pg from 'pg'

const DATABASE_URL = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const ADMIN_TOKEN = 'admin-token-of-the-attacks'
const MUCH_USDC = 1_000_000_000n

/** Owners of secrets, accounts that pay them, and a facilitator between, all in this process but the chain. */
export interface SettlementStage {
  readonly chain: LocalChain
  readonly crypto: EvmCrypto
  readonly network: Network
  /** Makes an owner with a wallet and a secret of its own. `unlisted`: as a platform makes it for whoever signs in. */
  owner(sponsorship?: 'unlisted'): Promise<Owner>
  /** The facilitator, as a platform administers it. */
  readonly facilitator: { readonly url: string; readonly adminToken: string }
  /** The owner of a secret that somebody else made. */
  ownerOf(secret: string, payTo: string): Owner
  /** A new account with 1,000 USDC; with code where it is given, `0x` hex. */
  payer(code?: string): Promise<Payer>
  setCode(payer: Payer, code: string): Promise<void>
  /** Signs a payment of a payer to an owner. */
  sign(payer: Payer, owner: Owner, terms?: { readonly validForSeconds?: number }): Promise<SignedPayment>
  /** Lines of the facilitator's log with this message, while it runs. */
  onLog(message: string, listener: (fields: { readonly [name: string]: unknown }) => void): void
  /** What the facilitator's transactions have cost so far. */
  spentGas(): Promise<SpentGas>
  stop(): Promise<void>
}

/** Gas of a relayer's transactions. */
export interface SpentGas {
  readonly gas: number
  /** Of those that were reverted. */
  readonly revertedGas: number
  readonly reverted: number
}

/** Who takes payments, with a secret of the facilitator. */
export interface Owner {
  readonly name: string
  readonly payTo: string
  verify(payment: SignedPayment): Promise<VerifyOutcome>
  settle(payment: SignedPayment): Promise<SettleOutcome>
}

/** Who pays. */
export interface Payer {
  readonly key: string
  readonly address: string
}

/** A signed payment, as an agent sends it to the facilitator. */
export interface SignedPayment {
  readonly authorization: Authorization
  readonly request: FacilitatorRequest
}

const PRICE = 1_000n

/** Starts a chain with blocks of so many seconds, a ledger on PostgreSQL and a facilitator with its own limits. */
export async function startSettlementStage(blockTimeSeconds: number): Promise<SettlementStage> {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one()
  }
  try {
    const chain = await startChain({ blockTimeSeconds })
    stops.push(chain.stop)
    await fund(chain, TEST_KEYS.relayer.address, { wei: 10n ** 20n })
    const crypto = await loadEvmCrypto()
    const ledger = await openLedger(stops)
    const rpc = createJsonRpc(chain.rpcUrl)
    stops.push(() => rpc.close())
    const listeners = new Map<string, (fields: { readonly [name: string]: unknown }) => void>()
    const facilitator = await createFacilitator({
      ledger,
      rpc,
      network,
      crypto,
      relayerKeys: [TEST_KEYS.relayer.privateKey],
      adminToken: ADMIN_TOKEN,
      log: listeningLog((message, fields) => listeners.get(message)?.(fields)),
      // Only so that a flood is made quickly.
      limits: { requestsPerSecond: 5_000 },
    })
    stops.push(() => facilitator.close())
    const url = await facilitator.listen({ port: 0 })
    const first = Number(await callAnvil(chain.rpcUrl, 'eth_blockNumber', []))
    let owners = 0
    const ownerOf = (secret: string, payTo: string, name = payTo): Owner => {
      const client = createFacilitatorClient({ url, secret })
      stops.push(() => client.close())
      return {
        name,
        payTo,
        verify: ({ request }) => client.verify(request, { timeoutMs: 30_000 }),
        settle: ({ request }) => client.settle(request, { timeoutMs: 60_000 }),
      }
    }
    return {
      chain,
      crypto,
      network,
      async owner(sponsorship) {
        const name = `owner ${(owners += 1)}`
        const payTo = `0x${randomBytes(20).toString('hex')}`
        return ownerOf(await createSecret(url, { owner: name, wallets: [payTo], sponsorship }), payTo, name)
      },
      facilitator: { url, adminToken: ADMIN_TOKEN },
      ownerOf,
      async payer(code) {
        const key = `0x${randomBytes(32).toString('hex')}`
        const address = crypto.addressOf(fromHex(key))
        await giveUsdc(chain, crypto, address)
        if (code !== undefined) await callAnvil(chain.rpcUrl, 'anvil_setCode', [address, code])
        return { key, address }
      },
      async setCode({ address }, code) {
        await callAnvil(chain.rpcUrl, 'anvil_setCode', [address, code])
      },
      sign: (payer, owner, { validForSeconds = 300 } = {}) =>
        sign({ crypto, network }, payer, owner.payTo, validForSeconds),
      onLog: (message, listener) => void listeners.set(message, listener),
      spentGas: () => readSpentGas(chain, first),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openLedger(
  stops: (() => Promise<unknown>)[],
): Promise<Awaited<ReturnType<typeof openPostgresLedger>>> {
  const schema = `attack_${randomBytes(6).toString('hex')}`
  stops.push(async () => {
    const client = new pg.Client({ connectionString: DATABASE_URL })
    await client.connect()
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })
  const ledger = await openPostgresLedger({ connectionString: DATABASE_URL, schema, clock: systemClock })
  stops.push(() => ledger.close())
  return ledger
}

function listeningLog(hear: (message: string, fields: { readonly [name: string]: unknown }) => void): Log {
  const line = (message: string, fields = {}): void => hear(message, fields)
  return { info: line, warn: line, error: line }
}

async function createSecret(url: string, body: object): Promise<string> {
  const answer = await fetch(`${url}/secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: JSON.stringify(body),
  })
  const { secret } = (await answer.json()) as { readonly secret?: string }
  if (secret === undefined) throw new Error(`the facilitator made no secret: HTTP ${answer.status}`)
  return secret
}

/** Straight into the token's storage: a flood needs thousands of accounts, and no block should be waited for. */
async function giveUsdc(chain: LocalChain, crypto: EvmCrypto, address: string): Promise<void> {
  const balances = address.slice(2).padStart(64, '0') + '0'.repeat(64)
  const slot = toHex(crypto.keccak256(fromHex(`0x${balances}`)))
  const amount = `0x${MUCH_USDC.toString(16).padStart(64, '0')}`
  await callAnvil(chain.rpcUrl, 'anvil_setStorageAt', [LOCAL_USDC_ADDRESS, slot, amount])
}

async function sign(
  { crypto, network }: { readonly crypto: EvmCrypto; readonly network: Network },
  { key, address }: Payer,
  payTo: string,
  validForSeconds: number,
): Promise<SignedPayment> {
  const authorization: Authorization = {
    from: address,
    to: payTo,
    value: PRICE.toString(),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + validForSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const signer = privateKeySigner(crypto, key)
  const signature = await signer.signTypedData(authorizationTypedData(network, authorization))
  const requirement = createRequirement({ network, payTo, amountAtomic: PRICE, maxDeadlineSeconds: 20 })
  return {
    authorization,
    request: {
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        accepted: requirement,
        payload: { authorization, signature },
      },
      paymentRequirements: requirement,
      extensions: { [HOLD_EXTENSION]: { binding: `0x${randomBytes(32).toString('hex')}` } },
    },
  }
}

async function readSpentGas(chain: LocalChain, firstBlock: number): Promise<SpentGas> {
  const relayer = TEST_KEYS.relayer.address.toLowerCase()
  const last = Number(await callAnvil(chain.rpcUrl, 'eth_blockNumber', []))
  const spent = { gas: 0, revertedGas: 0, reverted: 0 }
  for (let block = firstBlock; block <= last; block += 1) {
    const receipts = (await callAnvil(chain.rpcUrl, 'eth_getBlockReceipts', [
      `0x${block.toString(16)}`,
    ])) as readonly { readonly from: string; readonly status: string; readonly gasUsed: string }[]
    for (const { from, status, gasUsed } of receipts) {
      if (from.toLowerCase() !== relayer) continue
      spent.gas += Number(gasUsed)
      if (status === '0x1') continue
      spent.revertedGas += Number(gasUsed)
      spent.reverted += 1
    }
  }
  return spent
}
