import { printable } from '@farebox/conformance/internal/printable'
import { findLocalEconomy, isOnLoopback, type LocalEconomy } from '../../keys/local-economy.ts'
import { usageError } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { openRegistrationJournal } from './registration-journal.ts'
import { readUrl } from '../../terminal/read-option.ts'

export interface ChosenPlatform {
  /** Without a trailing slash. */
  readonly url: string
  readonly local: LocalEconomy | undefined
}

const VARIABLE = 'FAREBOX_PLATFORM'

/**
 * Selects the platform: `--platform`, else `FAREBOX_PLATFORM`, else the one of the local economy. For an agent that was
 * registered from this machine, the default is the platform where it was registered.
 *
 * @param agentId the agent that the command is about, if any
 */
export async function findPlatform(
  world: World,
  given: string | undefined,
  agentId?: number,
): Promise<ChosenPlatform> {
  const local = await findLocalEconomy(world)
  const variable = world.variables[VARIABLE] || undefined
  const named = given ?? variable ?? local?.platformUrl ?? (await savedPlatform(world, agentId))
  if (named === undefined) {
    throw usageError(
      'which platform?',
      `give --platform https://platform.example, or set ${VARIABLE}\nbeside a local economy that has one, its own is taken: npm start of Farebox runs one`,
    )
  }
  const url = readUrl(given === undefined ? VARIABLE : '--platform', named, {
    next: 'like https://platform.example',
  })
  return { url, local: isOnLoopback(url) ? local : undefined }
}

/**
 * Returns the platform at which an agent with this number was registered from this machine, or `undefined` when there is
 * none.
 */
async function savedPlatform({ home }: World, agentId: number | undefined): Promise<string | undefined> {
  if (agentId === undefined) return undefined
  const records = await openRegistrationJournal(home).list()
  const platforms = new Set(records.filter(one => one.agentId === agentId).map(({ platform }) => platform))
  if (platforms.size < 2) return [...platforms][0]
  throw usageError(
    `which platform? an agent ${agentId} was registered from here at ${platforms.size} of them`,
    [...platforms].map(url => `--platform ${printable(url)}`).join('\n'),
  )
}
