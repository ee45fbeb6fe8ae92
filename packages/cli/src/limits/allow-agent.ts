import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { printable } from '@farebox/conformance/internal/printable'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import { encodeSet } from '@farebox/contracts/permission-transactions'
import type { SpendPermission } from '@farebox/contracts/permission-typed-data'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { chooseCalled } from '../call/choose-capability.ts'
import { type ExitCode, usageError } from '../command-error.ts'
import { planTransaction } from '../register/transaction/send-transaction.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { carryOut, planChange } from './change-permission.ts'
import type { PermissionStatus } from '@farebox/contracts/internal/calls/permission-views'
import { readChainSeconds, readPermissionStatus } from './chain/read-permissions.ts'
import { spendDeclaration } from './agent/declared-spend.ts'
import { amount, moment } from './describe-terms.ts'
import { findAgent, type MeantAgent, readAgentSpender, readSpenderDeclaration } from './agent/find-agent.ts'
import { openKeptPermissions } from './kept-permissions.ts'
import { AGAIN, type RawAllowOptions } from './agent/limits-options.ts'
import { agreeToSign, type OpenLimits, withLimits } from './open-limits.ts'
import { type KnownPermission, permissionDocument, readKnown } from './known-permissions.ts'
import { type AskedTerms, permissionEnd, readAskedTerms } from './agent/read-terms.ts'
import { type AllowedTerms, showPermissionTerms } from './show-terms.ts'
import { checksumAddress } from '@farebox/payments/crypto/address'

/** More gas than a permit or an approval of USDC needs, including the rest of its transaction. */
const APPROVAL_GAS = 100_000n

/**
 * `farebox limits allow`: sets how much of the wallet's tokens a capability of an agent may move, and increases the
 * approval of the token by exactly that amount.
 */
export async function allowAgent(
  world: World,
  words: { readonly agent: string; readonly capability: string },
  raw: RawAllowOptions,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const allow = async (): Promise<object> => {
    const asked = readAskedTerms({ keccak256: await loadKeccak() }, raw)
    const agent = await findAgent(world, words.agent, raw, { endpoint: true })
    const terms = await holdAgainstDeclaration(world, agent, words.capability, asked)
    const spender = asked.spender ?? (await readAgentSpender(world, agent, terms.capability))
    return await withLimits({ world, clock, place: agent, raw }, limits =>
      allowOn(limits, terms, { ...asked, spender }, raw),
    )
  }
  return await runWithJson(world, raw, allow, AGAIN)
}

/** Terms with the account that they apply to. */
type NamedTerms = AskedTerms & { readonly spender: string }

type DeclaredTerms = Pick<AllowedTerms, 'agent' | 'agentName' | 'capability' | 'declared'>

async function holdAgainstDeclaration(
  world: World,
  agent: MeantAgent,
  named: string,
  { limit }: AskedTerms,
): Promise<DeclaredTerms> {
  const declaration = await readSpenderDeclaration(world, agent.endpoint ?? '')
  const capability = await chooseCalled(world, declaration, named)
  const declared = spendDeclaration(declaration, capability, agent)
  if (limit >= declared.mostAtomic) {
    throw usageError(
      `--limit: must be lower than the ${amount(declared.mostAtomic)} USDC that ${printable(capability)} declares as its maximum, got ${amount(limit)}`,
      'what one transaction may move is yours to choose, and less than the agent asks for',
    )
  }
  return { agent, agentName: declaration.name, capability, declared }
}

async function allowOn(
  limits: OpenLimits,
  declared: DeclaredTerms,
  asked: NamedTerms,
  raw: RawAllowOptions,
): Promise<object> {
  const { world, clock, chain, crypto, key } = limits
  const chainSeconds = await readChainSeconds(chain)
  // The contract compares the end with the chain's time. A local chain that made no block for a while is behind the clock.
  const expiry = permissionEnd(asked.until, Math.max(chainSeconds, Math.floor(clock.nowMs() / 1_000)))
  const permission = permissionOf(limits, declared, asked, expiry)
  const scope = scopeOf(crypto, permission.agentId, permission.capability)
  const id = permissionId(crypto, { ...permission, scope })
  const before = await readPermissionStatus(chain, id, 'pending')
  refuseSpent(asked, before)
  const callData = encodeSet(permission)
  const leftAfter = permission.cap - before.spent
  const change = await planChange(limits, { callData, before, leftAfter, chainSeconds })
  const call = { from: key.address, to: SPEND_PERMISSIONS_ADDRESS, valueWei: 0n, callData }
  const planned = await planTransaction(limits, call, 'the SpendPermissions contract')
  // The approval is signed or sent only after the person agrees, so only its maximum additional cost is shown here.
  const gasWei = planned.gasWei + (change.way === 'none' ? 0n : APPROVAL_GAS * planned.fees.maxFeePerGas)
  const others = await findOtherSpenders(limits, permission)
  await showPermissionTerms(limits, { ...declared, permission, before, change, gasWei, chainSeconds })
  showOtherSpenders(limits, permission, others, raw)
  const question = `Allow ${printable(permission.capability)} to move up to ${amount(leftAfter)} USDC of yours?`
  await agreeToSign(world, raw, question, 'not allowed')
  const signer = await key.unlock()
  const { spender, token, agentId, capability, recipients } = permission
  const kept = openKeptPermissions(world.home, chain.network.chainId, () => clock.nowMs())
  await kept.write(key.address, { id, spender, token, agentId, capability, recipients })
  const { transactions, approval } = await carryOut(limits, signer, change)
  if (raw.json !== true) tellAllowed(world, permission)
  const status = await readPermissionStatus(chain, id)
  return {
    ok: true,
    permission: permissionDocument({ ...permission, id, ...status }, chainSeconds),
    approval: amount(approval.allowance),
    transactions,
  }
}

function permissionOf(
  { chain, key }: OpenLimits,
  { agent, capability }: DeclaredTerms,
  { limit, cap, recipients, spender }: NamedTerms,
  expiry: bigint,
): SpendPermission {
  return {
    owner: hex(key.address),
    spender: hex(spender),
    token: hex(chain.network.asset.address),
    agentId: BigInt(agent.agentId),
    capability,
    limit,
    cap,
    expiry,
    recipients: recipients.map(hex),
  }
}

/** A cap counts from the first setting, so a cap that is already spent permits nothing. */
function refuseSpent({ cap }: AskedTerms, { spent }: PermissionStatus): void {
  if (cap > spent) return
  throw usageError(
    `--cap: must be more than the ${amount(spent)} USDC that this permission has spent already, got ${amount(cap)}`,
    `the cap counts everything since the permission was first set: to allow ${amount(cap)} more, give --cap ${amount(spent + cap)}`,
  )
}

function tellAllowed(world: World, { agentId, capability, limit, cap, expiry }: SpendPermission): void {
  const { green, dim } = paintFor(world.out)
  world.out.write(
    `${green('✓')} ${printable(capability)} may move up to ${amount(limit)} USDC each time, ${amount(cap)} in all, until ${moment(expiry)}\n` +
      `  ${dim(asTyped(world, 'farebox limits list shows what it spends'))}\n` +
      `  ${dim(asTyped(world, `farebox limits revoke ${agentId} ${printable(capability)} ends it at once`))}\n`,
  )
}

/** Addresses were validated when they were read; only the type requires the form. */
function hex(address: string): `0x${string}` {
  return `0x${address.slice(2).toLowerCase()}`
}

interface Named {
  readonly agentId: bigint
  readonly capability: string
  readonly spender: string
}

/** Finds live permissions of the same capability for other accounts: an agent may name another account for each request. */
async function findOtherSpenders(
  limits: OpenLimits,
  { agentId, capability, spender }: Named,
): Promise<readonly KnownPermission[]> {
  const { permissions } = await readKnown(limits)
  return permissions.filter(
    one =>
      one.state === 'allowed' &&
      one.agentId === agentId &&
      one.capability === capability &&
      one.spender !== spender.toLowerCase(),
  )
}

/** Shows them before the person agrees: the new permission is in addition to them and reduces none of them. */
function showOtherSpenders(
  { world, crypto }: OpenLimits,
  { capability, spender }: Named,
  others: readonly KnownPermission[],
  raw: Pick<RawAllowOptions, 'spender' | 'yes'>,
): void {
  const mark = paintFor(world.err).yellow('!')
  const revokes = others.map(({ number }) => asTyped(world, `farebox limits revoke ${number}`))
  for (const [index, other] of others.entries()) {
    const address = checksumAddress(crypto, other.spender)
    world.err.write(
      `  ${mark} also permitted to ${address}: ${amount(other.left)} left, revoke: ${revokes[index]}\n`,
    )
  }
  if (others.length === 0 || raw.yes !== true || raw.spender !== undefined) return
  throw usageError(
    `the agent names another spender than the one that ${printable(capability)} is permitted to`,
    `both could spend then: ${revokes.join(', ')} ends what was permitted before,\n` +
      `--spender ${checksumAddress(crypto, spender)} permits this one as well; nothing was signed`,
  )
}
