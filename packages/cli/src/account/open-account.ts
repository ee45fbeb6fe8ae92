import { agentPage, type AgentPage } from '@farebox/platform-api/agent'
import { agentBadge, type AgentBadge } from '@farebox/platform-api/badges'
import {
  agentHealth,
  webhook,
  webhookMade,
  webhookTested,
  type AgentHealth,
} from '@farebox/platform-api/monitor'
import {
  createdSecret,
  dashboard,
  me,
  ownedAgents,
  secrets,
  settlementLimit,
  type secret,
} from '@farebox/platform-api/owners'
import { systemClock } from '@farebox/client/internal/exchange/clock'
import type { AnswerSchema } from '@farebox/client/internal/exchange/read-answer'
import {
  createAskPlatform,
  NOTHING,
  PlatformRefusal,
  type PlatformQuestion,
} from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { CommandError } from '../command-error.ts'
import type { World } from '../world.ts'
import { forgetSession, readSession, type KeptSession } from './session-file.ts'

/** What a schema's answer is. */
type Answered<Schema> = Schema extends AnswerSchema<infer T> ? T : never
/** An agent of the owner, in one line. */
export type OwnedAgent = Answered<typeof ownedAgents>['agents'][number]
/** How an agent of the owner did. */
export type AgentDashboard = Answered<typeof dashboard>
/** A FACILITATOR_SECRET, without itself. */
export type OwnedSecret = Answered<typeof secret>
/** A FACILITATOR_SECRET with itself. */
export type NewSecret = Answered<typeof createdSecret>
/** How many settlements the owner's secrets may cause in a UTC day. */
export type SettlementLimit = Answered<typeof settlementLimit>
/** A webhook, without its secret. */
export type OwnedWebhook = Answered<typeof webhook>

/** An owner's account at a platform, by a session that `farebox login` began. */
export interface OpenAccount {
  readonly session: KeptSession
  /** Asks the platform in this session. */
  ask<T>(question: PlatformQuestion<T>): Promise<T>
  readMe(): Promise<Answered<typeof me>>
  /** All of them. */
  listAgents(): Promise<readonly OwnedAgent[]>
  readDashboard(agentId: number, days: number): Promise<AgentDashboard>
  readBadge(agentId: number): Promise<AgentBadge>
  readHealth(agentId: number): Promise<AgentHealth>
  readPage(agentId: number): Promise<AgentPage>
  listSecrets(): Promise<readonly OwnedSecret[]>
  readSettlementLimit(): Promise<SettlementLimit>
  createSecret(wallets: readonly string[] | undefined): Promise<NewSecret>
  rotateSecret(secretId: string): Promise<NewSecret>
  revokeSecret(secretId: string): Promise<undefined>
  readWebhook(agentId: number): Promise<OwnedWebhook>
  setWebhook(agentId: number, url: string): Promise<Answered<typeof webhookMade>>
  testWebhook(agentId: number): Promise<Answered<typeof webhookTested>>
  removeWebhook(agentId: number): Promise<undefined>
  /** Ends the session at the platform. */
  signOut(): Promise<undefined>
}

const MOST_PAGES = 100

/**
 * Opens the account at the platform that is meant (see `findPlatform`).
 *
 * @throws {CommandError} where nobody is signed in there; each method where the session has ended
 */
export async function openAccount(world: World, platform: string | undefined): Promise<OpenAccount> {
  const { url } = await findPlatform(world, platform)
  const session = await readSession(world.home, url)
  if (session === undefined) throw signedOut(`not signed in at ${url}`, url, platform)
  if (session.expiresAt * 1_000 <= systemClock.nowMs()) {
    await forgetSession(world.home, url)
    throw signedOut(`the session at ${url} has ended`, url, platform)
  }
  const send = createAskPlatform(url, world.signal)
  const ask = async <T>(question: PlatformQuestion<T>): Promise<T> => {
    try {
      return await send({ ...question, token: session.token })
    } catch (error) {
      if (!(error instanceof PlatformRefusal) || error.status !== 401) throw error
      await forgetSession(world.home, url)
      throw signedOut(`the session at ${url} has ended`, url, platform)
    }
  }
  const agent = (agentId: number): string => `/v1/me/agents/${agentId}`
  const secretPath = (secretId: string): string => `/v1/me/secrets/${encodeURIComponent(secretId)}`
  return {
    session,
    ask,
    readMe: () => ask({ path: '/v1/me', schema: me }),
    listAgents: () => listAgents(ask),
    readDashboard: (agentId, days) =>
      ask({ path: `${agent(agentId)}/dashboard?days=${days}`, schema: dashboard }),
    readBadge: agentId => ask({ path: `/v1/agents/${agentId}/badge`, schema: agentBadge }),
    readHealth: agentId => ask({ path: `/v1/agents/${agentId}/health`, schema: agentHealth }),
    readPage: agentId => ask({ path: `/v1/agents/${agentId}`, schema: agentPage }),
    listSecrets: async () => (await ask({ path: '/v1/me/secrets', schema: secrets })).secrets,
    readSettlementLimit: () => ask({ path: '/v1/me/settlement-limit', schema: settlementLimit }),
    createSecret: wallets =>
      ask({
        method: 'POST',
        path: '/v1/me/secrets',
        body: wallets === undefined ? {} : { wallets },
        schema: createdSecret,
      }),
    rotateSecret: id => ask({ method: 'POST', path: `${secretPath(id)}/rotate`, schema: createdSecret }),
    revokeSecret: id => ask({ method: 'DELETE', path: secretPath(id), schema: NOTHING }),
    readWebhook: agentId => ask({ path: `${agent(agentId)}/webhook`, schema: webhook }),
    setWebhook: (agentId, to) =>
      ask({ method: 'PUT', path: `${agent(agentId)}/webhook`, body: { url: to }, schema: webhookMade }),
    testWebhook: agentId =>
      ask({ method: 'POST', path: `${agent(agentId)}/webhook/test`, schema: webhookTested }),
    removeWebhook: agentId => ask({ method: 'DELETE', path: `${agent(agentId)}/webhook`, schema: NOTHING }),
    signOut: () => ask({ method: 'DELETE', path: '/v1/sessions/current', schema: NOTHING }),
  }
}

async function listAgents(
  ask: <T>(question: PlatformQuestion<T>) => Promise<T>,
): Promise<readonly OwnedAgent[]> {
  const all: OwnedAgent[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const path: string =
      cursor === null ? '/v1/me/agents' : `/v1/me/agents?cursor=${encodeURIComponent(cursor)}`
    const found: Answered<typeof ownedAgents> = await ask({ path, schema: ownedAgents })
    all.push(...found.agents)
    cursor = found.next_cursor
    if (cursor === null) break
  }
  return all
}

function signedOut(message: string, url: string, platform: string | undefined): CommandError {
  return new CommandError(
    message,
    platform === undefined ? 'farebox login' : `farebox login --platform ${url}`,
  )
}
