import type { FollowedToBlock } from '@farebox/payments/internal/transaction/send-until-mined'
import type { Platform } from '@farebox/platform-api/registry'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { CommandError, EXIT } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { type ChosenPlatform, findPlatform } from '../platform/find-platform.ts'
import { noteChange } from './note-change.ts'
import { findKey, localEconomyOf, openRegistry, type OpenRegistry } from './open-registry.ts'
import { openPlatform, type OpenPlatform } from '../platform/open-platform.ts'
import type { RawAgentOptions } from '../platform/register-options.ts'
import {
  type ChangeKind,
  type ChangeRecord,
  openRegistrationJournal,
  type RegistrationJournal,
} from '../platform/registration-journal.ts'
import { isKnown, readOwner } from '../registry/call-node.ts'
import {
  followOnChain,
  type PlannedTransaction,
  planTransaction,
  signCall,
  tellBlock,
} from './send-transaction.ts'

export interface Changing {
  readonly world: World
  readonly clock: Clock
  readonly chosen: ChosenPlatform
  readonly platform: OpenPlatform
  readonly described: Platform
  readonly registry: OpenRegistry
  readonly journal: RegistrationJournal
}

export interface PreparedChange {
  readonly callData: string
  readonly endpoint: string
  readonly registrationId?: string
}

export interface RegistryChange {
  readonly agentId: number
  readonly kind: ChangeKind
  isSame(earlier: ChangeRecord): boolean
  /**
   * Returns a change that is already on the chain and only has to be recorded; `undefined` when there is something to do.
   *
   * @param owner lower case; `undefined` when the agent has no owner
   * @throws {CommandError} when the change is impossible
   */
  findDone(
    at: Changing,
    owner: string | undefined,
  ): Promise<(Pick<ChangeRecord, 'endpoint'> & { readonly registrationId?: string | undefined }) | undefined>
  /** Reads the current state before anything is signed. */
  prepare(at: Changing, owner: string): Promise<PreparedChange>
  /** Asks the person to agree; rejects with a `CommandError` when the person does not. */
  agree(planned: PlannedTransaction): Promise<void>
}

export interface ChangedAgent {
  readonly described: Platform
  /** `undefined` when there was nothing to do. */
  readonly transaction: string | undefined
}

/**
 * Signs and sends one call of the registry about an agent that the wallet owns, only once, and waits until it is in a
 * block: the signed transaction is stored before it is sent, and the same command follows it when run again. Afterwards the
 * local records of the agent match the chain.
 *
 * @throws {CommandError} when it was not sent, was refused, or is not in a block yet (exit code 3)
 */
export async function changeAgent(
  world: World,
  raw: RawAgentOptions,
  change: RegistryChange,
  clock: Clock = systemClock,
): Promise<ChangedAgent> {
  const chosen = await findPlatform(world, raw.platform, change.agentId)
  const platform = openPlatform(chosen.url, world.signal, world.home)
  const described = await platform.describe()
  const registry = await openRegistry(world, chosen, described, raw)
  const journal = openRegistrationJournal(world.home)
  try {
    const at = { world, clock, chosen, platform, described, registry, journal }
    return { described, transaction: await doOnce(at, raw, change) }
  } finally {
    await registry.chain.close()
  }
}

async function doOnce(
  at: Changing,
  raw: RawAgentOptions,
  change: RegistryChange,
): Promise<string | undefined> {
  const { registry, journal, clock } = at
  const { chain, address } = registry
  const { agentId, kind } = change
  const key = { platform: at.chosen.url, agentId }
  const earlier = await journal.change(key).read()
  const followed = await followEarlierChange(at, key, one => change.isSame(one))
  // Whichever change was followed, it is done now.
  if (followed !== undefined && earlier !== undefined) await noteChange(journal, earlier, clock.nowMs())
  const owner = await readOwner(chain, address, agentId)
  const done = await change.findDone(at, owner)
  if (done !== undefined) {
    await noteChange(journal, { ...key, kind, ...done }, clock.nowMs())
    return earlier !== undefined && change.isSame(earlier) ? followed : undefined
  }
  if (owner === undefined) throw neverRegistered(agentId)
  const signed = await sign(at, raw, change, owner)
  const transaction = await sendChange(at, signed)
  await noteChange(journal, signed, clock.nowMs())
  return transaction
}

async function sign(
  at: Changing,
  raw: RawAgentOptions,
  change: RegistryChange,
  owner: string,
): Promise<ChangeRecord> {
  const { world, registry, chosen, described } = at
  const { chain, address, crypto } = registry
  const { agentId, kind } = change
  // The wallet is read before the agent, so that a missing wallet is reported at once.
  const key = await findKey(world, raw, localEconomyOf(chosen, described))
  const { callData, ...noted } = await change.prepare(at, owner)
  if (key.address !== owner) throw notTheirs(agentId, owner, key, { to: address, callData })
  const planned = await planTransaction(registry, { from: owner, to: address, valueWei: 0n, callData })
  await change.agree(planned)
  const signed = await signCall(chain, crypto, await key.unlock(), planned)
  const { chainId } = chain.network
  return { version: 1, platform: chosen.url, agentId, kind, ...noted, chainId, ...signed }
}

/** The error for a number that the chain has never assigned. */
function neverRegistered(agentId: number): CommandError {
  return new CommandError(
    `there is no agent ${agentId}`,
    'farebox register status tells those that were registered here',
  )
}

/** The key of an owner who staked in a browser is there: this message shows what that wallet would have to send. */
function notTheirs(
  agentId: number,
  owner: string,
  key: { readonly address: string; readonly source: string },
  call: { readonly to: string; readonly callData: string },
): CommandError {
  return new CommandError(
    `agent ${agentId} is held by ${owner}, and ${key.source} is ${key.address}`,
    [
      'name the wallet that holds it: --wallet <name>; or have that wallet send this transaction:',
      `to    ${call.to}`,
      'value 0',
      `data  ${call.callData}`,
    ].join('\n'),
  )
}

/**
 * Continues a change of an agent that was signed on this machine before: sends the same bytes until they are in a block.
 * Resolves to its transaction; `undefined` when there was none, or it is void.
 *
 * @param isWanted whether that change is the requested one; another change is not sent any more
 * @throws {CommandError} when its result is not known yet (exit code 3)
 */
async function followEarlierChange(
  at: Changing,
  key: Pick<ChangeRecord, 'platform' | 'agentId'>,
  isWanted: (earlier: ChangeRecord) => boolean,
): Promise<string | undefined> {
  const { world, journal, registry } = at
  const earlier = await journal.change(key).read()
  if (earlier === undefined) return undefined
  const isSent = isWanted(earlier) || (await isKnown(registry.chain, earlier.hash))
  const followed = isSent ? await wait(at, earlier) : undefined
  if (followed?.outcome === 'open') throw stillOpen(earlier)
  if (followed?.outcome === 'in a block' && followed.receipt.succeeded) {
    tellBlock(world, earlier.hash, followed.receipt.blockNumber)
    return earlier.hash
  }
  await journal.change(key).remove()
  world.err.write(`  ${doing(earlier)} by ${earlier.hash} failed; it is not sent again\n`)
  return undefined
}

/**
 * Stores a signed change, sends it, and waits until it is in a block.
 *
 * @throws {CommandError} when another command is making a change, it was refused, or it is not in a block yet (exit code 3)
 */
async function sendChange(at: Changing, change: ChangeRecord): Promise<string> {
  const { world, journal } = at
  if (!(await journal.change(change).create(change))) {
    throw new CommandError(
      `another command is changing agent ${change.agentId} now`,
      'run the same command again: it follows that one',
    )
  }
  const followed = await wait(at, change)
  if (followed.outcome === 'open') throw stillOpen(change)
  if (followed.outcome === 'in a block' && followed.receipt.succeeded) {
    tellBlock(world, change.hash, followed.receipt.blockNumber)
    return change.hash
  }
  await journal.change(change).remove()
  throw new CommandError(
    `${change.hash} was not taken by the chain`,
    'nothing changed; run the same command again',
  )
}

async function wait(at: Changing, change: ChangeRecord): Promise<FollowedToBlock> {
  const { chain } = at.registry
  return await followOnChain({ ...at, chain }, change, `${doing(change)}: ${change.hash}`)
}

function doing({ kind, agentId }: ChangeRecord): string {
  return `${kind === 'update' ? 'moving' : 'deregistering'} agent ${agentId}`
}

function stillOpen({ hash, kind, agentId, endpoint }: ChangeRecord): CommandError {
  const again =
    kind === 'update'
      ? `farebox register update ${agentId} --endpoint ${endpoint}`
      : `farebox deregister ${agentId}`
  return new CommandError(
    `${hash} was sent and is in no block yet`,
    `later, run: ${again}\nit is followed, and not sent a second time`,
    { exitCode: EXIT.unresolved },
  )
}
