import { AgentUnreachable } from '@farebox/client/agent-errors'
import { connect } from '@farebox/client/client-options'
import { exchange, type Answer } from '@farebox/client/exchange'
import { agentPage, type AgentPage } from '@farebox/platform-api/agent'
import { failure, type Failure } from '@farebox/platform-api/errors'
import {
  declarationHistory,
  platform,
  refreshed,
  registration,
  type Platform,
  type Refreshed,
  type Registration,
} from '@farebox/platform-api/registry'
import { isOnLoopback } from '../keys/local-economy.ts'
import { Refusal } from '../refusal.ts'
import { printable } from '../terminal/printable.ts'
import { readAnswer, type AnswerSchema } from './read-answer.ts'

/** A platform, spoken to by its HTTP API. Each method rejects with a {@link PlatformRefusal} or a `Refusal`. */
export interface OpenPlatform {
  readonly url: string
  /** What it says of itself. */
  describe(): Promise<Platform>
  /** Begins the registration of an endpoint, or gives the one there is. The platform looks at the endpoint itself. */
  register(endpoint: string): Promise<Registration>
  readRegistration(registrationId: string): Promise<Registration>
  /** Has the platform look at an agent now. */
  refresh(agentId: number): Promise<Refreshed>
  /** What it knows of an agent without a look. */
  readAgent(agentId: number): Promise<KnownAgent>
  /** What its last look at an agent stumbled over, and when it read its `/about` last. */
  readLastLook(agentId: number): Promise<Pick<Refreshed, 'problem' | 'last_read_at'>>
}

/** As much of an agent's page as is told here. */
export type KnownAgent = Pick<
  AgentPage,
  'agent_id' | 'endpoint' | 'standing' | 'standing_reason' | 'payable' | 'refreshed_at' | 'health'
>

const knownAgent = agentPage.pick({
  agent_id: true,
  endpoint: true,
  standing: true,
  standing_reason: true,
  payable: true,
  refreshed_at: true,
  health: true,
})
const lastLook = declarationHistory.pick({ problem: true, last_read_at: true })

/** The platform's own refusal: it answered, and the answer is no. */
export class PlatformRefusal extends Refusal {
  /** HTTP status. */
  readonly status: number
  /** When it may be asked again, where it says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, next: string, retryAfterSeconds?: number) {
    super(message, next)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The platform looks at a stranger's server before it answers: at a slow one with patience. */
const TIMEOUT_MS = 75_000
const MAX_BYTES = 1_048_576

/** Opens the platform at a URL; nothing is sent yet. */
export function openPlatform(url: string, signal: AbortSignal): OpenPlatform {
  const connection = connect({ signal })

  async function ask<T>(schema: AnswerSchema<T>, path: string, body?: object): Promise<T> {
    const answer = await send(path, body)
    if (answer.status === 404 && schema === platform) throw notAPlatform(url, 'is HTTP 404')
    if (answer.status !== 200 && answer.status !== 201) throw refusalOf(url, answer)
    const read = answer.flaw === undefined ? readAnswer(schema, answer.json) : undefined
    if (read === undefined) throw notAPlatform(url, answer.flaw)
    return read
  }

  async function send(path: string, body: object | undefined): Promise<Answer> {
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }
    const request = { url: url + path, ...limits }
    try {
      if (body === undefined) return await exchange(connection, { ...request, method: 'GET' })
      const headers = { 'content-type': 'application/json' }
      return await exchange(connection, { ...request, method: 'POST', headers, body: JSON.stringify(body) })
    } catch (error) {
      if (error instanceof AgentUnreachable) throw unreachable(url, error)
      throw error
    }
  }

  return {
    url,
    describe: () => ask(platform, '/v1/platform'),
    register: endpoint => ask(registration, '/v1/registrations', { endpoint }),
    readRegistration: id => ask(registration, `/v1/registrations/${encodeURIComponent(id)}`),
    refresh: agentId => ask(refreshed, `/v1/agents/${agentId}/refresh`, {}),
    readAgent: agentId => ask(knownAgent, `/v1/agents/${agentId}`),
    readLastLook: agentId => ask(lastLook, `/v1/agents/${agentId}/declarations?limit=1`),
  }
}

function refusalOf(url: string, { status, headers, json, flaw }: Answer): Refusal {
  const told = readAnswer(failure, json)
  if (told === undefined) return notAPlatform(url, flaw ?? `is HTTP ${status}`)
  const message = printable(told.error.slice(0, 1_000))
  const retryAfter = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0]
  const seconds = retryAfter === undefined ? undefined : Number(retryAfter)
  return new PlatformRefusal(status, message, adviceFor(told.error_type), seconds)
}

function adviceFor(errorType: Failure['error_type']): string {
  switch (errorType) {
    case 'validation':
    case 'agent':
      return 'the platform looked at the agent itself, from where it is; mend that and say the same again'
    case 'rate_limited':
    case 'unavailable':
    case 'internal':
      return 'say the same again in a minute; nothing is lost'
    default:
      return ''
  }
}

function unreachable(url: string, cause: AgentUnreachable): Refusal {
  const next = isOnLoopback(url)
    ? 'does it run? npm start of Farebox starts the local one'
    : 'is the URL right? --platform, or FAREBOX_PLATFORM'
  return new Refusal(`the platform at ${url} cannot be reached: ${printable(cause.message)}`, next, { cause })
}

function notAPlatform(url: string, flaw: string | undefined): Refusal {
  const reason =
    flaw === undefined
      ? 'does not answer as a platform does'
      : `is no platform: its answer ${printable(flaw)}`
  return new Refusal(`${url} ${reason}`, 'is the URL right? --platform, or FAREBOX_PLATFORM')
}
