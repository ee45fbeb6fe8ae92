import {
  faucetAnswer,
  faucetRequest,
  firstJob,
  localChainAnswer,
  localChainCall,
  localChainQuestion,
  walletBalance,
  walletPath,
  type LocalChainQuestion,
} from '@farebox/platform-api/wallets'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createFaucet } from './faucet.ts'
import { readFirstJob } from './first-job.ts'
import { nodeAway } from './read-wallet.ts'
import { createWalletBalances, type WalletBalances } from './wallet-balances.ts'

const BALANCES_PER_MINUTE = 120
const GIFTS_PER_MINUTE = 30
const FIRST_JOBS_PER_MINUTE = 60
const CHAIN_QUESTIONS_PER_MINUTE = 300

/** The routes for wallet balances and, on a local chain only, for test money and a first job. */
export function walletsRoutes(parts: PlatformParts): readonly Route[] {
  const { localMode, faucetKey } = parts.settings
  const balances = createWalletBalances(parts)
  return [
    balanceRoute(balances),
    ...(localMode && faucetKey !== undefined ? [faucetRoute(parts, faucetKey, balances)] : []),
    ...(localMode ? [firstJobRoute(parts), chainRoute(parts)] : []),
  ]
}

function balanceRoute(balances: WalletBalances): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/wallets/:address/balance',
    summary: 'The balances of an address on this platform’s chain, at most a second old',
    access: 'public',
    params: walletPath,
    perMinute: BALANCES_PER_MINUTE,
    answers: {
      200: { description: 'What it has', schema: walletBalance },
      503: { description: 'The chain does not answer' },
    },
    handle: async ({ params }) => ({ body: await balances.read(params.address) }),
  })
}

function faucetRoute(parts: PlatformParts, key: string, balances: WalletBalances): Route {
  const faucet = createFaucet(parts, key)
  return defineRoute({
    method: 'POST',
    path: '/v1/local/faucet',
    summary:
      'Gives 1,000 test USDC to an address that has less than 100, and some of the coin that gas is paid in',
    access: 'public',
    body: faucetRequest,
    perMinute: GIFTS_PER_MINUTE,
    answers: {
      200: { description: 'What the address has now', schema: faucetAnswer },
      503: { description: 'The chain does not respond, or rejected the transaction' },
    },
    async handle({ body: { address } }) {
      await faucet.give(address).catch((error: unknown) => {
        throw nodeAway(error)
      })
      balances.forget(address)
      const { usdc, native_wei } = await balances.read(address)
      return { body: { usdc, native_wei } }
    },
  })
}

function firstJobRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/local/first-job',
    summary: 'A sample job: an agent, a capability and an input that it accepts',
    access: 'public',
    perMinute: FIRST_JOBS_PER_MINUTE,
    answers: {
      200: { description: 'The job; a quote and a payment are all that is missing', schema: firstJob },
      404: { description: 'No agent here is online, can be paid, and takes an input that could be made' },
    },
    async handle() {
      const body = await readFirstJob(parts)
      if (body === undefined) throw new Refusal('not_found', 'there is no agent yet to begin with')
      return { body }
    },
  })
}

/**
 * The route by which the wallet in the pages sends transactions of test money: the content security policy allows a
 * page to connect only to its own platform.
 */
function chainRoute({ rpc }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/local/chain',
    summary: 'Forwards a JSON-RPC request, or a signed transaction, to the local chain',
    access: 'public',
    body: localChainQuestion,
    perMinute: CHAIN_QUESTIONS_PER_MINUTE,
    answers: {
      200: { description: 'What the chain answers', schema: localChainAnswer },
      400: { description: 'The chain rejected it; `error` says why' },
      503: { description: 'The chain does not answer' },
    },
    async handle({ body: { method, params } }) {
      const bound = boundParams(method, params)
      try {
        return { body: { result: await rpc.call(method, bound) } }
      } catch (error) {
        if (error instanceof JsonRpcError)
          throw new Refusal('validation', error.message.slice(0, MOST_CHARACTERS))
        throw nodeAway(error)
      }
    },
  })
}

/**
 * Limits a call to the gas of one block, and refuses state overrides: a node that executes an unlimited call is busy
 * until it is restarted.
 */
function boundParams(method: LocalChainQuestion['method'], params: readonly unknown[]): readonly unknown[] {
  if (method !== 'eth_call' && method !== 'eth_estimateGas') return params
  const [call, block = 'latest', ...others] = params
  const read = localChainCall.safeParse(call)
  if (!read.success) {
    const [issue] = read.error.issues
    throw new Refusal(
      'validation',
      `params[0].${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'must be a call'}`,
    )
  }
  if ((block !== 'latest' && block !== 'pending') || others.length > 0)
    throw new Refusal('validation', 'params[1]: must be "latest" or "pending", and the last')
  return [{ ...read.data, gas: MOST_GAS }, block]
}

/** The gas limit of a block on the local chain: 30 million. */
const MOST_GAS = '0x1c9c380'

/** The maximum length of a node's error message in a response. */
const MOST_CHARACTERS = 300
