import {
  agentSpender,
  limitsPath,
  MAX_SPEND_JOBS,
  spendsQuery,
  tokenApprovals,
  walletLimits,
  walletSpends,
  type WalletLimits,
} from '@farebox/platform-api/limits/wallet-limits'
import { agentPath } from '@farebox/platform-api/registry'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { findApprovals } from './find-approvals.ts'
import { createPermissionsContract, type PermissionsContract } from './find-contract.ts'
import { readApproval, type ApprovalNow } from './read-approval.ts'
import { readPermissions } from './read-permissions.ts'
import { readSpender } from './read-spender.ts'
import { readSpends } from './read-spends.ts'

/** Each request makes eight calls to the node. */
const LIMITS_PER_MINUTE = 60
const SPENDS_PER_MINUTE = 120
/** Each request makes up to a hundred calls to the node. */
const APPROVALS_PER_MINUTE = 10
/** Each request makes a call to an untrusted host. */
const SPENDERS_PER_MINUTE = 20
const RETRY_AFTER_SECONDS = 2

/**
 * The routes for spend limits: the permissions of an owner, the spends, and the account an agent spends from. All of it is
 * public on the chain.
 */
export function limitsRoutes(parts: PlatformParts): readonly Route[] {
  const contract = createPermissionsContract(parts)
  return [limitsRoute(parts, contract), spendsRoute(parts), approvalsRoute(parts), spenderRoute(parts)]
}

function limitsRoute(parts: PlatformParts, contract: PermissionsContract): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/limits/:address',
    summary: 'The spend permissions of a wallet, and its token approval',
    access: 'public',
    params: limitsPath,
    perMinute: LIMITS_PER_MINUTE,
    answers: {
      200: { description: 'Its permissions', schema: walletLimits },
      404: { description: 'SpendPermissions is not on this chain' },
      503: { description: 'The chain does not answer' },
    },
    handle: async ({ params }) => ({ body: await readLimits(parts, contract, params.address) }),
  })
}

async function readLimits(
  parts: PlatformParts,
  contract: PermissionsContract,
  owner: string,
): Promise<WalletLimits> {
  const address = await contract.find()
  if (address === undefined) throw new Refusal('not_found', 'SpendPermissions is not on this chain')
  const now: ApprovalNow = await readApproval(parts, owner as `0x${string}`).catch(nodeAway)
  const [followed] = await parts.database.query<{ block_number: string }>(
    'permissions-cursor',
    `select block_number from followed_contracts where contract = 'permissions'`,
    [],
  )
  const { symbol, address: token, decimals } = parts.network.asset
  return {
    address: owner,
    contract: address,
    token: { symbol, address: token.toLowerCase(), decimals },
    block_number: Math.max(0, Number(followed?.block_number ?? 0)),
    ...now,
    permissions: [...(await readPermissions(parts, owner, now.block_time))],
  }
}

function spendsRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/limits/:address/spends',
    summary: 'Transfers that agents made from a wallet, newest first',
    access: 'public',
    params: limitsPath,
    query: spendsQuery,
    perMinute: SPENDS_PER_MINUTE,
    answers: { 200: { description: 'One page', schema: walletSpends } },
    async handle({ params, query: { cursor, permission, job_ids: jobIds } }) {
      if ((jobIds?.length ?? 0) > MAX_SPEND_JOBS)
        throw new Refusal('validation', `job_ids: must be at most ${MAX_SPEND_JOBS}, got ${jobIds?.length}`)
      return { body: await readSpends(parts, params.address, { cursor, permission, jobIds }) }
    },
  })
}

function approvalsRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/limits/:address/approvals',
    summary: 'The known approvals of the token by a wallet that are not zero',
    access: 'public',
    params: limitsPath,
    perMinute: APPROVALS_PER_MINUTE,
    answers: {
      200: { description: 'The approvals, the largest first', schema: tokenApprovals },
      503: { description: 'The chain does not answer' },
    },
    handle: async ({ params }) => ({
      body: await findApprovals(parts, params.address as `0x${string}`).catch(nodeAway),
    }),
  })
}

function spenderRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/agents/:agentId/spender',
    summary: 'The account that an agent spends from, read from the agent now',
    access: 'public',
    params: agentPath,
    perMinute: SPENDERS_PER_MINUTE,
    answers: {
      200: { description: 'The account that a permission must name', schema: agentSpender },
      404: { description: 'It is not listed, spends nothing, or names no account that it could spend from' },
      503: { description: 'The agent does not answer' },
    },
    handle: async ({ params }) => ({ body: await readSpender(parts, params.agentId) }),
  })
}

function nodeAway(cause: unknown): never {
  throw new Refusal('unavailable', 'the chain does not answer: ask again', {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
