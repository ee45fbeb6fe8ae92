import { z } from 'zod'
import { OWNERS_WORDS } from '../search.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('Lower-case address')
const word = z.string().regex(/^0x[0-9a-f]{64}$/)
const uint256 = z
  .string()
  .regex(/^\d+$/)
  .refine(text => /^\d{1,78}$/.test(text) && BigInt(text) < 2n ** 256n, 'must be below 2^256')
const atomic = uint256.describe('Atomic units of the token')
const unixSeconds = z.int().nonnegative().describe('Unix seconds')
const transaction = word.describe('Hash of the transaction')

/** The path of the routes about one owner of tokens. */
export const limitsPath = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
    .transform(text => text.toLowerCase()),
})

/** The state of a permission. */
export const permissionState = z
  .enum(['active', 'used-up', 'expired', 'revoked'])
  .describe('used-up: nothing is left of the cap; expired: its end has passed; revoked: by its owner')

/** The type that {@link permissionState} parses to. */
export type PermissionState = z.infer<typeof permissionState>

/** One permission of an owner, as stored in the SpendPermissions contract. */
export const spendPermission = z.strictObject({
  id: word.describe('The name of the permission in the contract'),
  spender: address.describe('The account that may spend'),
  token: address,
  scope: word.describe('The argument of `revoke` of the contract'),
  agent_id: uint256.describe('Decimal: an owner can permit a number that no agent has'),
  agent_name: z
    .string()
    .nullable()
    .describe(`${OWNERS_WORDS} Null if this platform shows no agent of this number`),
  capability: z.string().describe('As the owner permitted it, at most 128 of its characters'),
  limit: atomic.describe('The maximum of one spend, as set last'),
  cap: atomic.describe('The maximum of all spends since the permission was first set'),
  spent: atomic,
  left: atomic.describe('Of the cap; zero once the permission is revoked, not once it has expired'),
  expires_at: unixSeconds.describe('The first second at which nothing can be spent, as set last'),
  recipients: z.array(address).describe('Empty: any recipient'),
  state: permissionState,
  nonce: z.int().nonnegative().describe('The nonce of the next signature for it'),
  set_at: unixSeconds.describe('When it was last set'),
  set_transaction: transaction,
  revoked_at: unixSeconds.nullable(),
})

/** The type that {@link spendPermission} parses to. */
export type SpendPermissionView = z.infer<typeof spendPermission>

/**
 * The answer of `GET /v1/limits/:address`: the amounts that an owner permits agents to move, and the approval behind them.
 *
 * @example
 * ```ts
 * import { walletLimits } from '@farebox/platform-api/limits/wallet-limits'
 *
 * const answer = await fetch(
 *   'https://platform.example/v1/limits/0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
 * )
 * for (const { agent_name, capability, spent, cap } of walletLimits.parse(await answer.json()).permissions)
 *   console.log(`${agent_name ?? 'unknown agent'} ${capability}: ${spent} of ${cap}`)
 * ```
 */
export const walletLimits = z
  .strictObject({
    address,
    contract: address.describe('SpendPermissions, which is not audited'),
    token: z.strictObject({ symbol: z.string(), address, decimals: z.int().nonnegative() }),
    block_number: z
      .int()
      .nonnegative()
      .describe('The permissions are as of this block; the amounts as of it or of a later one'),
    block_time: unixSeconds.describe('The time of the newest block, with which expiries are compared'),
    balance: atomic,
    allowance: atomic.describe('The current allowance of the contract'),
    total_left: atomic.describe(
      'The remaining amount of all active permissions in the token: the exact allowance',
    ),
    permit: z
      .strictObject({ name: z.string(), version: z.string(), nonce: uint256 })
      .nullable()
      .describe(
        'The EIP-712 domain and the nonce of a signed approval (EIP-2612); null: the token accepts none',
      ),
    permissions: z
      .array(spendPermission)
      .max(200)
      .describe('In any token: active ones first, then the newest; at most 200'),
  })
  .describe('The permissions of a wallet for agents')

/** The type that {@link walletLimits} parses to. */
export type WalletLimits = z.infer<typeof walletLimits>

/** The most jobs that one query for spends may name. */
export const MAX_SPEND_JOBS = 50

/** The query of `GET /v1/limits/:address/spends`. */
export const spendsQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}\.\d{1,9}$/, 'must be the next_cursor of a page')
    .optional(),
  permission: word.optional().describe('Only spends under this permission'),
  job_ids: z
    .string()
    .max(MAX_SPEND_JOBS * 37)
    .regex(/^[0-9a-fA-F-]{36}(,[0-9a-fA-F-]{36})*$/, 'must be job ids with commas between them')
    .transform(text => text.split(','))
    .optional()
    .describe(`Only spends of these jobs, at most ${MAX_SPEND_JOBS}, separated by commas`),
})

/** A spend that is included in a block. */
export const spendLine = z.strictObject({
  permission: word.describe('The id of the permission'),
  agent_id: uint256,
  agent_name: z.string().nullable().describe(OWNERS_WORDS),
  capability: z.string(),
  token: address,
  to: address.describe('The recipient'),
  amount: atomic,
  job_id: z
    .string()
    .nullable()
    .describe('The job of the spend, if the request named it; the chain only has a hash of it'),
  transaction,
  block_number: z.int().nonnegative(),
  at: unixSeconds.describe('The time of its block'),
})

/** The type that {@link spendLine} parses to. */
export type SpendLine = z.infer<typeof spendLine>

/** `GET /v1/limits/:address/spends`: spends from a wallet, the newest first. */
export const walletSpends = z
  .strictObject({
    spends: z.array(spendLine),
    total: z.int().nonnegative().describe('The number of spends on all pages'),
    next_cursor: z.string().nullable().describe('Pass it as ?cursor= for the following spends'),
  })
  .describe('The spends of a wallet’s tokens by agents')

/** The type that {@link walletSpends} parses to. */
export type WalletSpends = z.infer<typeof walletSpends>

/** One non-zero approval of the token. */
export const tokenApproval = z.strictObject({
  spender: address.describe('The account that may move the tokens'),
  amount: atomic,
  unlimited: z.boolean().describe('More than the supply of the token'),
  is_permissions_contract: z.boolean().describe('It is the approval that the permissions share'),
  approved_at: unixSeconds.nullable().describe('When it was last set, if its block was read'),
  transaction,
})

/** The type that {@link tokenApproval} parses to. */
export type TokenApproval = z.infer<typeof tokenApproval>

/** `GET /v1/limits/:address/approvals`: every approval of the token that was found and is still in effect. */
export const tokenApprovals = z
  .strictObject({
    approvals: z.array(tokenApproval),
    from_block: z
      .int()
      .nonnegative()
      .describe('Approvals were searched from this block on: 0 if the node answers for the whole chain'),
  })
  .describe('Approvals of the token by a wallet')

/** The type that {@link tokenApprovals} parses to. */
export type TokenApprovals = z.infer<typeof tokenApprovals>

/** `GET /v1/agents/:agentId/spender`: the account that an agent spends from, as the agent itself states it. */
export const agentSpender = z
  .strictObject({
    agent_id: z.int().positive(),
    spender: address.describe('The account that a permission must name'),
  })
  .describe('The account that sends the transactions of an agent that moves its callers’ tokens')

/** The type that {@link agentSpender} parses to. */
export type AgentSpender = z.infer<typeof agentSpender>
