import { printable } from '@farebox/conformance/internal/printable'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import { encodeRevoke } from '@farebox/contracts/permission-transactions'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { CommandError, type ExitCode, usageError } from '../command-error.ts'
import { planTransaction } from '../register/transaction/send-transaction.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { carryOut, type ChangedPermission, leftOf, planChange, settleApproval } from './change-permission.ts'
import type { PermissionStatus } from '@farebox/contracts/internal/calls/permission-views'
import { readTokenApproval, readPermissionStatus } from './chain/read-permissions.ts'
import type { PermissionNames } from './chain/read-set-events.ts'
import { amount, approvalAmount, describeSteps, moment, row } from './describe-terms.ts'
import { findAgent, findPlace, type LimitsChain } from './agent/find-agent.ts'
import {
  type KnownPermission,
  type KnownPermissions,
  permissionDocument,
  readKnown,
} from './known-permissions.ts'
import { AGAIN, type RawAgentLimitsOptions } from './agent/limits-options.ts'
import { agreeToSign, type OpenLimits, withLimits } from './open-limits.ts'
import { readSpenderOption } from './agent/read-terms.ts'

/** Selects a permission by its number in the list, or by agent and capability. */
type Meant = { readonly number: number } | { readonly agentId: number; readonly capability: string }

type Named = PermissionNames & PermissionStatus

/**
 * `farebox limits revoke`: ends a permission, and reduces the token's approval to what the others have left. When the
 * permission is already revoked, it only reduces an approval that is still too large.
 */
export async function revokePermission(
  world: World,
  words: { readonly first: string; readonly capability: string | undefined },
  raw: RawAgentLimitsOptions,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const revoke = async (): Promise<object> => {
    const { meant, place } = await findMeant(world, words, raw)
    return await withLimits({ world, clock, place, raw }, async limits => {
      const known = await readKnown(limits)
      const permission = await choosePermission(limits, known, meant, raw)
      const { transactions, approval } = await revokeOn(limits, permission, known.chainSeconds, raw)
      const status = await readPermissionStatus(limits.chain, permission.id)
      const document = permissionDocument({ ...permission, ...status }, known.chainSeconds)
      return { ok: true, permission: document, approval: amount(approval.allowance), transactions }
    })
  }
  return await runWithJson(world, raw, revoke, AGAIN)
}

async function findMeant(
  world: World,
  { first, capability }: { readonly first: string; readonly capability: string | undefined },
  raw: RawAgentLimitsOptions,
): Promise<{ readonly meant: Meant; readonly place: LimitsChain }> {
  if (capability !== undefined) {
    const agent = await findAgent(world, first, raw, { endpoint: false })
    return { meant: { agentId: agent.agentId, capability }, place: agent }
  }
  if (!/^[1-9]\d{0,5}$/.test(first)) {
    throw usageError(
      '<capability>: is missing',
      'name the agent and the capability, or the number that farebox limits list shows',
    )
  }
  return { meant: { number: Number(first) }, place: await findPlace(world, raw) }
}

async function choosePermission(
  limits: OpenLimits,
  { permissions }: KnownPermissions,
  meant: Meant,
  raw: RawAgentLimitsOptions,
): Promise<Named> {
  if ('number' in meant) {
    const found = permissions.find(({ number }) => number === meant.number)
    if (found !== undefined) return found
    throw notFound(limits, `there is no permission ${meant.number}`)
  }
  const { agentId, capability } = meant
  const same = permissions.filter(one => one.agentId === BigInt(agentId) && one.capability === capability)
  if (raw.spender !== undefined)
    return await bySpender(limits, meant, readSpenderOption(limits.crypto, raw.spender))
  // A revoked permission is selected only when there is no other: its approval may still be too large.
  const alive = same.filter(({ state }) => state !== 'revoked')
  const [only, ...others] = alive.length > 0 ? alive : same
  if (only === undefined)
    throw notFound(limits, `nothing is allowed to ${printable(capability)} of agent ${agentId}`)
  if (others.length === 0) return only
  throw severalSpenders(capability, alive.length > 0 ? alive : same)
}

/**
 * A permission with a known spender can be revoked even without a record on this machine, because a signature may have been
 * given away.
 */
async function bySpender(
  { chain, crypto, key }: OpenLimits,
  { agentId, capability }: { readonly agentId: number; readonly capability: string },
  spender: string,
): Promise<Named> {
  const token = chain.network.asset.address
  const scope = scopeOf(crypto, BigInt(agentId), capability)
  const id = permissionId(crypto, {
    owner: hex(key.address),
    spender: hex(spender),
    token: hex(token),
    scope,
  })
  const names = { id, spender, token, agentId: BigInt(agentId), capability, recipients: [] }
  return { ...names, ...(await readPermissionStatus(chain, id)) }
}

async function revokeOn(
  limits: OpenLimits,
  permission: Named,
  chainSeconds: number,
  raw: RawAgentLimitsOptions,
): Promise<ChangedPermission> {
  const { world, crypto, key } = limits
  const isRevoked = permission.limit === 0n && permission.nonce > 0n
  if (isRevoked) return await lowerLeftBehind(limits, permission, raw)
  const { spender, token, agentId, capability } = permission
  const scope = scopeOf(crypto, agentId, capability)
  const callData = encodeRevoke({ spender: hex(spender), token: hex(token), scope })
  const change = await planChange(limits, { callData, before: permission, leftAfter: 0n, chainSeconds })
  const call = { from: key.address, to: SPEND_PERMISSIONS_ADDRESS, valueWei: 0n, callData }
  await planTransaction(limits, call, 'the SpendPermissions contract')
  showRevoked(limits, permission, chainSeconds)
  world.err.write(`${describeSteps(paintFor(world.err), 'revoke', change).join('\n')}\n`)
  await agreeToSign(
    world,
    raw,
    `Revoke it? ${printable(capability)} can then move nothing more.`,
    'not revoked',
  )
  const changed = await carryOut(limits, await key.unlock(), change)
  tell(world, raw, `${printable(capability)} of agent ${agentId} can move nothing of yours any more`)
  return changed
}

/** The command was stopped between its two transactions, after the first was completed. */
async function lowerLeftBehind(
  limits: OpenLimits,
  { agentId, capability }: Named,
  raw: RawAgentLimitsOptions,
): Promise<ChangedPermission> {
  const { world, chain, key } = limits
  const text = `${printable(capability)} of agent ${agentId} is revoked already`
  const approval = await readTokenApproval(chain, key.address, 'latest')
  const { allowance, totalLeft } = approval
  if (allowance <= totalLeft) {
    tell(world, raw, text)
    return { transactions: [], approval }
  }
  world.err.write(`  ${text}\n`)
  const question = `Lower the approval from ${approvalAmount(allowance)} to ${amount(totalLeft)} USDC, all that is left?`
  await agreeToSign(world, raw, question, 'not lowered')
  const settled = await settleApproval(limits, await key.unlock(), totalLeft)
  tell(world, raw, `${text}, and the approval is ${amount(settled.approval.allowance)} USDC`)
  return settled
}

function showRevoked({ world, crypto, key }: OpenLimits, permission: Named, chainSeconds: number): void {
  const paint = paintFor(world.err)
  const { agentId, capability, limit, cap, spent, expiry, spender } = permission
  const left = amount(leftOf(permission, chainSeconds))
  const lines = [
    `${paint.bold(printable(capability))}   agent ${agentId}`,
    row(paint, 'spender', checksumAddress(crypto, spender)),
    row(paint, 'each time', `${amount(limit)} USDC at most`),
    row(paint, 'in all', `${amount(cap)} USDC at most, ${amount(spent)} spent, ${left} left`),
    ...(expiry === 0n ? [] : [row(paint, 'until', moment(expiry))]),
    row(paint, 'from', `${checksumAddress(crypto, key.address)}  ${key.source}`),
  ]
  world.err.write(`${lines.join('\n')}\n`)
}

function tell(world: World, { json }: RawAgentLimitsOptions, text: string): void {
  if (json !== true) world.out.write(`${paintFor(world.out).green('✓')} ${text}\n`)
}

function notFound({ crypto, key }: OpenLimits, what: string): CommandError {
  return new CommandError(
    `${what} by ${checksumAddress(crypto, key.address)}`,
    'farebox limits list shows what is allowed; another wallet is named by --wallet, another chain by --network',
  )
}

function severalSpenders(capability: string, permissions: readonly KnownPermission[]): CommandError {
  return usageError(
    `<capability>: ${printable(capability)} is allowed to ${permissions.length} spenders`,
    permissions
      .map(({ number, spender }) => `farebox limits revoke ${number} ends that of ${spender}`)
      .join('\n'),
  )
}

function hex(address: string): `0x${string}` {
  return `0x${address.slice(2).toLowerCase()}`
}
