import { z } from 'zod'
import { registrationCheck } from './registration/registration-check.ts'
import { shownFields } from './search.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('Lower-case address')
const agentId = z.int().positive().describe("The agent's number: its token id at the registry (D36)")
const unixSeconds = z.number().nonnegative().describe('Unix seconds')

/** The listing status of an agent. */
export const standing = z
  .enum(['waiting', 'listed', 'provisional', 'refused', 'taken-down', 'deregistered'])
  .describe(
    'waiting: staked and not inspected yet; listed: has proven its wallet; provisional: serves no /about ' +
      '(Phase 1); refused: its declaration is not confirmed; taken-down: by the operator; deregistered: ' +
      'its stake was returned',
  )

/**
 * A platform's description of itself: `GET /v1/platform`.
 *
 * @example
 * ```ts
 * import { platform } from '@farebox/platform-api/registry'
 *
 * const answer = await fetch('https://platform.example/v1/platform')
 * const { network_name, registry_address, stake_wei } = platform.parse(await answer.json())
 * console.log(`stake ${stake_wei} wei on ${network_name}, at ${registry_address}`)
 * ```
 */
export const platform = z
  .strictObject({
    api_version: z.literal('1'),
    public_url: z.string().describe('The URL of this platform, without a slash at the end'),
    local_mode: z
      .boolean()
      .describe("Agents at http:// URLs of the platform's own machine are allowed (D37)"),
    network: z.string().describe('CAIP-2 id of the chain of stakes and payments: "eip155:8453"'),
    network_name: z.string(),
    chain_id: z.int().positive(),
    registry_address: address.describe('The AgentRegistry contract'),
    stake_wei: z.string().regex(/^\d+$/).describe('The exact stake of a registration, in wei (D36)'),
    confirmations: z.int().nonnegative().describe('Confirmations before a registration counts'),
    usdc_address: address,
    spend_permissions_address: address
      .nullable()
      .describe('The SpendPermissions contract; null if it is not on this chain'),
    explorer_url: z.string().optional().describe('The block explorer of the chain; a local chain has none'),
    check_interval_seconds: z.number().positive().describe('The interval of the checks of /health'),
    refresh_interval_seconds: z.number().positive().describe('The interval of the inspections of /about'),
    facilitator_url: z
      .string()
      .nullable()
      .describe('The agents’ facilitator on this platform; null: each agent chooses its own'),
    secrets: z.boolean().describe('Owners can create a FACILITATOR_SECRET here'),
  })
  .describe('Name, chain and settings of this platform')

/** The type that {@link platform} parses to. */
export type Platform = z.infer<typeof platform>

/** The body of `POST /v1/registrations`. */
export const registrationRequest = z
  .strictObject({
    endpoint: z.string().min(1).max(2_048).describe('Base URL of the agent, https: "https://agent.example"'),
  })
  .describe('An agent to register')

/** The type that {@link registrationRequest} parses to. */
export type RegistrationRequest = z.infer<typeof registrationRequest>

/** A capability with its price, as the platform found it at the endpoint. */
export const foundCapability = z.strictObject({
  name: z.string(),
  description: z.string(),
  price: z.string().describe('USDC for one job, decimal'),
  price_atomic: z.string().regex(/^\d+$/).describe('The same in atomic units of USDC'),
  takes: shownFields.describe('Inputs, the first ones declared'),
  gives: shownFields.describe('Outputs, the first ones declared'),
})

/** The platform's findings at an endpoint. */
export const foundAgent = z
  .discriminatedUnion('phase', [
    z.strictObject({
      phase: z.literal('agent').describe('Serves /about and requires payment'),
      name: z.string(),
      description: z.string(),
      wallet: address.describe('The paid wallet of /about, which has to stake (D36)'),
      max_deadline_seconds: z.number(),
      capabilities: z.array(foundCapability).describe('In declared order'),
    }),
    z.strictObject({
      phase: z
        .literal('phase-1')
        .describe(
          'Serves only /health: it will be listed as unpaid and provisional, cannot be called here, and is ' +
            'replaced when an owner proves the endpoint',
        ),
      name: z.string().describe('As in /health'),
    }),
  ])
  .describe('The result for the endpoint')

/** The type that {@link foundAgent} parses to. */
export type FoundAgent = z.infer<typeof foundAgent>

/** The state of a registration. */
export const registrationStatus = z
  .discriminatedUnion('state', [
    z.strictObject({
      state: z
        .literal('waiting_for_stake')
        .describe('The owner of the wallet has not staked for this endpoint yet'),
    }),
    z.strictObject({
      state: z.literal('confirming').describe('Staked; waits for confirmations or an inspection'),
      agent_id: agentId,
      transaction: z.string().describe('The transaction that staked'),
      confirmations: z.int().nonnegative().describe('Confirmations, up to the required number'),
      confirmations_wanted: z.int().nonnegative(),
    }),
    z.strictObject({
      state: z.literal('listed'),
      agent_id: agentId,
      owner: address.describe('The address that has staked for it'),
      transaction: z.string().describe('The transaction that staked'),
      profile_url: z.string(),
      provisional: z.boolean().describe('Phase 1: without /about'),
    }),
    z.strictObject({
      state: z.literal('refused').describe('Staked, and not listed'),
      agent_id: agentId,
      reason: z.string(),
      retried: z.boolean().describe('It is inspected again automatically; else request a refresh'),
    }),
  ])
  .describe('The progress of the registration')

/** The type that {@link registrationStatus} parses to. */
export type RegistrationStatus = z.infer<typeof registrationStatus>

/** A registration: the answer of `POST /v1/registrations` and `GET /v1/registrations/:registrationId`. */
export const registration = z
  .strictObject({
    registration_id: z.uuid().describe('The same for the same endpoint, in every request'),
    endpoint: z.string().describe('Canonical: the form to write on the chain'),
    found: foundAgent,
    examined_at: unixSeconds.describe('When the endpoint was inspected'),
    checks: z.array(registrationCheck).describe('What was checked then, in the order of the checks'),
    stake_wei: z.string().regex(/^\d+$/).describe('To be sent with the transaction, exactly'),
    registry_address: address.describe('The target of the transaction'),
    chain_id: z.int().positive(),
    call_data: z
      .string()
      .regex(/^0x[0-9a-f]+$/)
      .describe("The transaction's data: register(endpoint)"),
    register_page_url: z.string().describe('The page of this registration, for a browser wallet'),
    status: registrationStatus,
    staked_by_others: z
      .array(z.strictObject({ agent_id: agentId, owner: address, reason: z.string() }))
      .describe(
        'Registrations of this endpoint that do not count, the newest first: an address other than the ' +
          'wallet of /about has staked. Its owner deregisters it to get the stake back',
      ),
  })
  .describe('A registration, resumable: the same endpoint always gets the same one')

/** The type that {@link registration} parses to. */
export type Registration = z.infer<typeof registration>

/** The path of `GET /v1/registrations/:registrationId`. */
export const registrationPath = z.strictObject({ registrationId: z.uuid() })

/** The path of an agent's routes. */
export const agentPath = z.strictObject({
  agentId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number)
    .describe("The agent's number"),
})

/** The severity of a change to a declaration. */
export const changeSeverity = z
  .enum(['wallet', 'breaking', 'price', 'compatible'])
  .describe(
    'wallet: another wallet is paid; breaking: existing calls may fail; price: it costs more or less; ' +
      'compatible: callers are not affected',
  )

/** One change to a declaration. */
export const declarationChange = z.strictObject({
  severity: changeSeverity,
  capability: z.string().optional().describe('Absent if the agent as a whole changed'),
  sentence: z.string().describe('The change in words, names and values quoted'),
  price: z
    .strictObject({ old: z.string(), new: z.string(), direction: z.enum(['raise', 'cut']) })
    .optional()
    .describe('Decimal USDC'),
})

/** The type that {@link declarationChange} parses to. */
export type DeclarationChange = z.infer<typeof declarationChange>

/** The path of one version of an agent's declaration. */
export const declarationPath = agentPath.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .describe('From 1; the newest is `declaration_version` of the agent’s page'),
})

/** The answer of `GET /v1/agents/:agentId/declarations/:version`. */
export const pastDeclaration = z
  .strictObject({
    agent_id: agentId,
    version: z.int().positive(),
    read_at: unixSeconds,
    declaration: z
      .record(z.string(), z.unknown())
      .describe('The content of /about, in its own words and order: untrusted text'),
  })
  .describe('What an agent declared once')

/** The type that {@link pastDeclaration} parses to. */
export type PastDeclaration = z.infer<typeof pastDeclaration>

/** The newest declarations of an agent: `GET /v1/agents/:agentId/declarations`. */
export const declarationHistory = z
  .strictObject({
    agent_id: agentId,
    last_read_at: unixSeconds.nullable().describe('When /about was last read; null: never'),
    problem: z
      .string()
      .nullable()
      .describe('The error of the last inspection; the previous declaration is kept'),
    declarations: z
      .array(
        z.strictObject({
          version: z.int().positive(),
          read_at: unixSeconds,
          severity: z.enum(['first', ...changeSeverity.options]).describe('Of the gravest change'),
          changes: z.array(declarationChange),
        }),
      )
      .describe('The newest first'),
  })
  .describe('The history of an agent’s declaration')

/** The type that {@link declarationHistory} parses to. */
export type DeclarationHistory = z.infer<typeof declarationHistory>

/** The query of the history: at most `limit` versions, older than version `before`. */
export const declarationHistoryQuery = z.strictObject({
  before: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .optional()
    .describe('Versions before this one'),
  limit: z
    .string()
    .regex(/^(?:[1-9]|[1-4]\d|50)$/)
    .transform(Number)
    .optional()
    .describe('The page size, 1 to 50; default 20'),
})

/** The result of a probe on demand: `POST /v1/agents/:agentId/refresh`. */
export const refreshed = z
  .strictObject({
    agent_id: agentId,
    standing,
    standing_reason: z.string().nullable(),
    payable: z
      .boolean()
      .describe('Its wallet is proven by the owner of the stake; otherwise callers are not sent to pay'),
    last_read_at: unixSeconds.nullable().describe('When /about was last read; null: never'),
    problem: z.string().nullable().describe('The error of this inspection'),
    changes: z.array(declarationChange).describe('What changed since the declaration before'),
  })
  .describe('The result of an inspection')

/** The type that {@link refreshed} parses to. */
export type Refreshed = z.infer<typeof refreshed>
