import { setMaxListeners } from 'node:events'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { scopeOf } from '@farebox/contracts/permission-calls'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { sameAddress } from '@farebox/payments/crypto/address'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Clock } from '@farebox/protocol/time/clock'
import { EnvironmentError, type EnvironmentProblem } from '../environment/environment-error.ts'
import type { Environment } from '../environment/read-environment.ts'
import { notDeclared, refuseSpending, type Spending } from '../handler/job-spending.ts'
import type { Log } from '../log.ts'
import { createPermissionReads } from './permission-reads.ts'
import { spendForJob } from './spend-for-job.ts'
import { createSpendSender } from './spend-sender.ts'
import { readBounds } from './spend-terms.ts'

/**
 * Opens spending for a declaration in which a capability declares permissions; a function that closes it is added to
 * `closers`. It makes no request to the chain, so that an agent starts without a node.
 *
 * Throws an {@link EnvironmentError} when the key is not suitable for spending, or required settings are missing.
 */
export async function openSpending(
  declaration: Declaration,
  environment: Environment,
  parts: { readonly clock: Clock; readonly log: Log; readonly closers: (() => Promise<void>)[] },
): Promise<Spending> {
  const { clock, log, closers } = parts
  const { network, devMode, spenderPrivateKey: privateKey, agentId, rpcUrl } = environment
  const bounds = readBounds(declaration, network)
  const refuse = (why: string): Spending =>
    refuseSpending(job => (bounds.has(job.capability) ? why : notDeclared(job)))
  if (privateKey === undefined) {
    const names = [...bounds.keys()].join(', ')
    if (!devMode) log.warn(`SPENDER_PRIVATE_KEY is not set: every spend of ${names} is refused`)
    return refuse(devMode ? DEV_MODE : 'SPENDER_PRIVATE_KEY is not set')
  }
  const crypto = await loadEvmCrypto()
  const problems = [...judgeKey(environment, readAddress(crypto, privateKey))]
  if (!devMode) problems.push(...judgeSettings(environment))
  const [first, ...others] = problems
  if (first !== undefined) throw new EnvironmentError(first, ...others)
  if (devMode || agentId === undefined || rpcUrl === undefined) return refuse(DEV_MODE)
  const rpc = createJsonRpc(rpcUrl)
  const stopping = new AbortController()
  // Each spend in progress adds a listener to the signal.
  setMaxListeners(0, stopping.signal)
  closers.push(async () => {
    stopping.abort()
    await rpc.close()
  })
  const sender = createSpendSender(rpc, crypto, { privateKey, chainId: network.chainId })
  const tools = { rpc, reads: createPermissionReads(rpc, crypto), sender, clock, stopped: stopping.signal }
  const checkChain = once(() => requireChain(rpc, network.chainId))
  return {
    identity: {
      agent_id: agentId.toString(),
      network: network.id,
      contract: SPEND_PERMISSIONS_ADDRESS,
      spender: sender.address,
    },
    forJob(job) {
      const bound = bounds.get(job.capability)
      const { payer } = job
      if (bound === undefined || payer === undefined)
        return refuseSpending(bound === undefined ? notDeclared : () => DEV_MODE).forJob(job)
      const scope = scopeOf(crypto, agentId, job.capability)
      const key = { owner: payer as `0x${string}`, spender: sender.address, token: bound.token, scope }
      return spendForJob({ ...tools, crypto, log, checkChain, bound, key }, job)
    },
  }
}

const DEV_MODE =
  'in dev mode nobody pays, so that there is nobody whose tokens could be moved; set SERVICE_DEV_MODE=false, SERVICE_RPC_URL, SPENDER_PRIVATE_KEY and AGENT_ID'

/** The address of a key; undefined when the digits are not a valid key of the curve. */
function readAddress(
  crypto: Awaited<ReturnType<typeof loadEvmCrypto>>,
  privateKey: string,
): string | undefined {
  try {
    return crypto.addressOf(fromHex(privateKey))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function judgeKey({ wallet }: Environment, spender: string | undefined): readonly EnvironmentProblem[] {
  const variable = 'SPENDER_PRIVATE_KEY'
  if (spender === undefined) {
    const hint = 'copy the key again, or make a new one'
    return [{ variable, problem: 'is no key: it is zero, or not below the order of the curve', hint }]
  }
  if (!sameAddress(spender, wallet)) return []
  return [
    {
      variable,
      problem: 'is the key of AGENT_WALLET_ADDRESS: what is earned must not lie where this process signs',
      hint: 'make an account for spending alone, and give it gas and nothing else',
    },
  ]
}

function judgeSettings({ agentId, rpcUrl }: Environment): readonly EnvironmentProblem[] {
  const problems: EnvironmentProblem[] = []
  if (agentId === undefined) {
    problems.push({
      variable: 'AGENT_ID',
      problem: 'is not set, and payers permit SPENDER_PRIVATE_KEY to spend for one agent alone',
      hint: 'set AGENT_ID to what registering the agent told; before that leave SPENDER_PRIVATE_KEY unset',
    })
  }
  if (rpcUrl === undefined) {
    problems.push({
      variable: 'SERVICE_RPC_URL',
      problem: 'is not set, and SPENDER_PRIVATE_KEY spends through a node',
      hint: 'set SERVICE_RPC_URL to a node of the chain in SERVICE_NETWORK',
    })
  }
  return problems
}

/** Throws for a node of another chain, whose permissions differ. */
async function requireChain(rpc: Pick<JsonRpc, 'call'>, chainId: number): Promise<void> {
  const answer = await rpc.call('eth_chainId', [])
  if (Number(answer) !== chainId)
    throw new Error(`SERVICE_RPC_URL is a node of chain ${Number(answer)}, SERVICE_NETWORK is ${chainId}`)
}

/** Runs the work until it succeeds once, and never again after that. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return async () => {
    const doing = (done ??= work())
    try {
      await doing
    } catch (error) {
      if (done === doing) done = undefined
      throw error
    }
  }
}
