import { ownedAgents, type OwnedAgents } from '@farebox/platform-api/owners'
import { type AskPlatform, createAskPlatform, PlatformRefusal } from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { CommandError } from '../command-error.ts'
import type { World } from '../world.ts'
import { isLive, type KeptSession, sessionFile } from '../home/session-file.ts'

export type OwnedAgent = OwnedAgents['agents'][number]

/** An owner's account at a platform, accessed through a session of `farebox login`. */
export interface OpenAccount {
  readonly session: KeptSession
  readonly ask: AskPlatform
}

const MOST_PAGES = 100

/** Opens the account at the selected platform (see `findPlatform`). */
export async function openAccount(world: World, platform: string | undefined): Promise<OpenAccount> {
  const { url } = await findPlatform(world, platform)
  const session = await sessionFile(world.home, url).read()
  if (session === undefined) throw signedOut(`not signed in at ${url}`, url, platform)
  const ended = async (): Promise<CommandError> => {
    await sessionFile(world.home, url).remove()
    return signedOut(`the session at ${url} has ended`, url, platform)
  }
  if (!isLive(session)) throw await ended()
  const ask = createAskPlatform(url, world.signal)
  return {
    session,
    ask: async question => {
      try {
        return await ask({ ...question, token: session.token })
      } catch (error) {
        throw error instanceof PlatformRefusal && error.status === 401 ? await ended() : error
      }
    },
  }
}

export async function listAgents({ ask }: OpenAccount): Promise<readonly OwnedAgent[]> {
  const all: OwnedAgent[] = []
  let query = ''
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found: OwnedAgents = await ask({ path: `/v1/me/agents${query}`, schema: ownedAgents })
    all.push(...found.agents)
    if (found.next_cursor === null) break
    query = `?cursor=${encodeURIComponent(found.next_cursor)}`
  }
  return all
}

function signedOut(message: string, url: string, platform: string | undefined): CommandError {
  return new CommandError(
    message,
    platform === undefined ? 'farebox login' : `farebox login --platform ${url}`,
  )
}
