import { randomBytes } from 'node:crypto'
import {
  encodeBatch,
  encodeSettle,
  encodeTransfer,
  type SettlerItem,
} from '@farebox/facilitator/src/chain/calldata'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { usdcBalance } from '@farebox/local/src/chain/top-up'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { signAuthorization } from '../stage/sign-jobs.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { number } from '../report/figures.ts'

const PAYMENTS = 144
const AMOUNT_ATOMIC = 10_000n
const GAS_EACH = 90_000n

/**
 * Gas of a payment on LocalUSDC, from receipts: as many as fill a transaction sent one by one, as our facilitator sends
 * a single one; in one transaction through BatchSettler, as it sends several; and through Multicall3, where there is no
 * settler. Gas is exact, so once is enough.
 */
export const settlementGas: Bench = {
  name: 'gas',
  async run(stage) {
    const chain = await startChain()
    stage.onStrike(chain.stop)
    stage.tell('a full transaction of wallets, and one by one')
    const many = await compare(stage, chain, addresses(PAYMENTS))
    const one = await compare(stage, chain, addresses(1))
    return [
      row('settlement gas, 144 wallets paid', many, many.settler, { atMost: 0.7 }),
      row('settlement gas, 1 wallet paid', one, one.settler, undefined),
      row('settlement gas, 144 wallets paid, by Multicall3', many, many.multicall, { atMost: 0.78 }),
    ]
  },
}

interface GasEach {
  readonly alone: number
  readonly settler: number
  readonly multicall: number
}

/** Everybody holds USDC before and after: the cost of a first balance is the same either way, and would only blur. */
async function compare(stage: Stage, chain: LocalChain, payees: readonly string[]): Promise<GasEach> {
  for (const payee of payees) await fund(chain, payee, { usdcAtomic: 1n })
  const before = await balances(chain, payees)
  const items: SettlerItem[] = []
  for (let index = 0; index < 3 * PAYMENTS; index += 1) {
    const signer = privateKeySigner(stage.crypto, `0x${randomBytes(32).toString('hex')}`)
    await fund(chain, signer.address, { usdcAtomic: 2n * AMOUNT_ATOMIC })
    const payTo = payees[index % payees.length] ?? ''
    const { authorization, signature } = await signAuthorization(signer, {
      payTo,
      amount: AMOUNT_ATOMIC.toString(),
    })
    items.push({ authorization, signature, codeHash: undefined })
  }
  const calls = items.map(one => ({ to: chain.usdc, data: encodeTransfer(one.authorization, one.signature) }))
  let alone = 0
  for (const call of calls.slice(0, PAYMENTS)) alone += await gasOf(chain, call)
  const batch = encodeBatch(calls.slice(PAYMENTS, 2 * PAYMENTS))
  const multicall = await gasOf(chain, { to: chain.multicall3, data: batch })
  const settle = encodeSettle(chain.usdc, GAS_EACH, items.slice(2 * PAYMENTS))
  const settler = await gasOf(chain, { to: chain.batchSettler, data: settle })
  const paid = (await balances(chain, payees)) - before
  if (paid !== BigInt(3 * PAYMENTS) * AMOUNT_ATOMIC)
    throw new Error(`${3 * PAYMENTS} payments moved ${paid} atomic units`)
  return { alone: alone / PAYMENTS, settler: settler / PAYMENTS, multicall: multicall / PAYMENTS }
}

async function gasOf(
  chain: LocalChain,
  call: { readonly to: string; readonly data: string },
): Promise<number> {
  const transaction = { from: TEST_KEYS.relayer.address, gas: '0xf42400', ...call }
  const receipt = (await callAnvil(chain.rpcUrl, 'eth_sendTransactionSync', [transaction])) as {
    readonly status: string
    readonly gasUsed: string
  }
  if (receipt.status !== '0x1') throw new Error('a settlement was reverted')
  return Number(receipt.gasUsed)
}

async function balances(chain: LocalChain, wallets: readonly string[]): Promise<bigint> {
  let sum = 0n
  for (const wallet of wallets) sum += await usdcBalance(chain, wallet)
  return sum
}

function addresses(count: number): readonly string[] {
  return Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`)
}

function row(what: string, { alone }: GasEach, together: number, goal: Row['goal']): Row {
  return {
    what,
    ours: `${number(together)} gas`,
    peer: { name: 'one by one', figure: `${number(alone)} gas` },
    ratio: together / alone,
    goal,
  }
}
