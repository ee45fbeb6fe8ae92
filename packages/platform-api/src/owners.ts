import { z } from 'zod'
import { checkedHour } from './monitor.ts'
import { agentCategory } from './search.ts'

/** A lower-case address, the form used in every answer. */
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/, 'must be a lower-case address')
  .describe('A lower-case 0x address')
const seconds = z.number().int().describe('Unix seconds')
const agentId = z.number().int().positive().describe('The registry’s token id')
const amount = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe('USDC, as a decimal string')
const amountAtomic = z.string().regex(/^\d+$/).describe('The same in millionths of a USDC')

/** `POST /v1/sessions/nonces`: everything that the message to sign must contain (EIP-4361). */
export const signInTerms = z.strictObject({
  nonce: z.string().describe('Valid for one sign-in, for five minutes'),
  domain: z.string().describe('The line before " wants you to sign in with your Ethereum account:"'),
  uri: z.string(),
  version: z.literal('1'),
  chain_id: z.number().int(),
  issued_at: z.string().describe('RFC 3339, by the platform’s clock'),
  expiration_time: z.string().describe('RFC 3339; a message may expire earlier'),
})

/** The type that {@link signInTerms} parses to. */
export type SignInTerms = z.infer<typeof signInTerms>

const MAX_MESSAGE_CHARACTERS = 4_000
const MAX_SIGNATURE_CHARACTERS = 4_000

/** `POST /v1/sessions` */
export const signIn = z.strictObject({
  message: z.string().max(MAX_MESSAGE_CHARACTERS).describe('The signed message of EIP-4361'),
  signature: z
    .string()
    .max(MAX_SIGNATURE_CHARACTERS)
    .describe('65 bytes of 0x hex by an ordinary wallet (EIP-191, personal_sign)'),
})

/** One session, without its token. */
export const session = z.strictObject({
  session_id: z.uuid(),
  address,
  created_at: seconds,
  used_at: seconds.describe('Unix seconds, to the minute; two hours later it ends'),
  expires_at: seconds.describe('Unix seconds; it ends then, regardless of use'),
  origin: z
    .enum(['wallet', 'terminal'])
    .describe('The source of the session: the wallet that signed, or a terminal by farebox login --browser'),
})

/** The answer to a sign-in; browsers get the same token as a cookie. */
export const signedIn = z.strictObject({
  ...session.shape,
  token: z.string().describe('Authorization: Bearer <token>; shown this once'),
})

const CODE_CHARACTERS = 6

/** `POST /v1/me/browser-sign-ins`: a link that signs a browser in, once the code that the browser shows has been typed. */
export const browserSignInOffered = z.strictObject({
  link_id: z.string().describe('The fragment of <platform>/sign-in/terminal; the previous one is void'),
  expires_at: seconds.describe('Unix seconds: after two minutes'),
})

/** `POST /v1/me/browser-sign-ins/confirm` */
export const browserSignInCode = z.strictObject({
  code: z.string().length(CODE_CHARACTERS).describe('As the browser shows it; three tries'),
})

/** `POST /v1/browser-sign-ins` */
export const browserSignInOpening = z.strictObject({
  link_id: z
    .string()
    .max(100)
    .optional()
    .describe('From the link; absent: this browser opened it already and has its cookie'),
})

/** The code shown by the first browser that opened the link. */
export const browserSignInOpened = z.strictObject({
  address: address.describe('The address for which the browser will be signed in'),
  code: z.string().length(CODE_CHARACTERS).describe('The user types it in the terminal'),
  expires_at: seconds,
})

/** The type that {@link browserSignInOpened} parses to. */
export type BrowserSignInOpened = z.infer<typeof browserSignInOpened>

/** The answer of `POST /v1/browser-sign-ins/claim` while the code has not been typed. */
export const browserSignInWaiting = z.strictObject({ state: z.literal('waiting') })

/** `GET /v1/me/sessions` */
export const sessions = z.strictObject({
  sessions: z.array(z.strictObject({ ...session.shape, is_current: z.boolean() })),
})

/** The type that {@link sessions} parses to. */
export type Sessions = z.infer<typeof sessions>

/** `GET /v1/me` */
export const me = z.strictObject({
  address,
  session,
  agents: z.number().int().describe('The number of agents of this address'),
})

/** The type that {@link me} parses to. */
export type Me = z.infer<typeof me>

/** An owner's agent in a list. */
export const ownedAgent = z.strictObject({
  agent_id: agentId,
  name: z.string(),
  endpoint: z.string().nullable(),
  standing: z.enum(['waiting', 'listed', 'provisional', 'refused', 'taken-down', 'deregistered']),
  standing_reason: z.string().nullable(),
  is_offline: z.boolean(),
  badge: z.enum(['none', 'verified', 'bronze', 'silver', 'gold']).describe('As shown'),
  category: agentCategory.nullable().describe('The category that you chose; null: none'),
  wallet: address.nullable(),
  wallet_proven: z.boolean().describe('Callers are not sent to pay while this is false'),
  registered_at: seconds,
})

/** The body of `PUT /v1/me/agents/:agentId/category`, and its answer. */
export const chosenCategory = z.strictObject({
  category: agentCategory.nullable().describe('null: none'),
})

/** The type that {@link chosenCategory} parses to. */
export type ChosenCategory = z.infer<typeof chosenCategory>

/** `GET /v1/me/agents` */
export const ownedAgents = z.strictObject({
  agents: z.array(ownedAgent),
  next_cursor: z.string().nullable().describe('Pass it as ?cursor= for the following agents'),
})

/** The type that {@link ownedAgents} parses to. */
export type OwnedAgents = z.infer<typeof ownedAgents>

/** The number of jobs by outcome. */
export const jobCounts = z.strictObject({
  sent: z.number().int().describe('All of them'),
  completed: z.number().int(),
  failed: z.number().int(),
  expired: z.number().int(),
  open: z.number().int().describe('Not decided yet'),
})

/** The type that {@link jobCounts} parses to. */
export type JobCounts = z.infer<typeof jobCounts>

/** One capability on the dashboard. */
export const capabilityDashboard = z.strictObject({
  capability: z.string(),
  jobs: jobCounts,
  success: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Share of completed jobs among those decided; null before the first'),
  p50_ms: z.number().int().nullable().describe('Of completed jobs, from the request to the answer'),
  p95_ms: z.number().int().nullable(),
  earned: amount.describe('USDC, of jobs whose transfer is proven'),
  earned_atomic: amountAtomic,
})

/**
 * `GET /v1/me/agents/:agentId/dashboard`: the jobs that the platform sent for callers, without the platform's own daily test
 * jobs.
 *
 * @example
 * ```ts
 * import { dashboard } from '@farebox/platform-api/owners'
 *
 * const answer = await fetch('https://platform.example/v1/me/agents/7/dashboard?days=30', {
 *   headers: { authorization: `Bearer ${process.env['SESSION_TOKEN']}` },
 * })
 * const { earned, jobs } = dashboard.parse(await answer.json())
 * console.log(`${jobs.completed} of ${jobs.sent} jobs completed, ${earned} USDC earned`)
 * ```
 */
export const dashboard = z.strictObject({
  agent_id: agentId,
  from: seconds,
  to: seconds,
  jobs: jobCounts,
  success: capabilityDashboard.shape.success,
  p50_ms: capabilityDashboard.shape.p50_ms,
  p95_ms: capabilityDashboard.shape.p95_ms,
  earned: amount,
  earned_atomic: amountAtomic,
  capabilities: z.array(capabilityDashboard),
  health: z.array(checkedHour).describe('Hour by hour, the oldest first; hours without a check are left out'),
})

/** The type that {@link dashboard} parses to. */
export type AgentDashboard = z.infer<typeof dashboard>

/** `GET /v1/me/agents/:agentId/dashboard?days=` */
export const dashboardQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(30).default(7).describe('The period in whole days'),
})

/** A FACILITATOR_SECRET, without its value. */
export const secret = z.strictObject({
  secret_id: z.string(),
  made_by: z
    .enum(['you', 'operator'])
    .describe('operator: made with the service token for a wallet of yours; ask them to revoke it'),
  label: z.string().nullable().describe('The label given at its creation; null: none'),
  wallets: z.array(address).describe('It accepts payments to these only'),
  created_at: seconds,
  revoked_at: seconds.nullable(),
  last_used_at: seconds.nullable().describe('Unix seconds, to the minute; null: not used so far'),
  replaces: z.string().nullable().describe('The secret that this one replaces: it works until you delete it'),
  replaced_by: z.string().nullable().describe('The newest secret that was created to replace this one'),
})

/** The type that {@link secret} parses to. */
export type Secret = z.infer<typeof secret>

/** `GET /v1/me/secrets` */
export const secrets = z.strictObject({ secrets: z.array(secret) })

/** The type that {@link secrets} parses to. */
export type Secrets = z.infer<typeof secrets>

/** The number of daily settlements that one listed agent adds for its owner. */
export const settlementShare = z.strictObject({
  agent_id: agentId,
  name: z.string(),
  stake: z.string().describe('ETH, as a decimal string'),
  badge: z.enum(['none', 'verified', 'bronze', 'silver', 'gold']).describe('As earned'),
  settlements: z.number().int().nonnegative().describe('For a UTC day, by its stake and badge'),
  counts_nothing: z
    .enum(['offline', 'not_payable'])
    .nullable()
    .describe('Why it adds nothing now; null if it adds the amount of its badge'),
})

/** The type that {@link settlementShare} parses to. */
export type SettlementShare = z.infer<typeof settlementShare>

const perBadge = z.strictObject({
  none: z.number().int(),
  verified: z.number().int(),
  bronze: z.number().int(),
  silver: z.number().int(),
  gold: z.number().int(),
})

/** `GET /v1/me/settlement-limit` */
export const settlementLimit = z.strictObject({
  sponsorship: z
    .enum(['named', 'listed', 'unlisted'])
    .describe(
      'Why the facilitator pays the gas: its operator named you, you have a listed agent, or neither',
    ),
  used_today: z.number().int().describe('Settlements in this UTC day, including pending ones'),
  daily_limit: z.number().int().nullable().describe('Null: no limit'),
  state: z
    .enum(['open', 'near', 'used_up'])
    .describe('near: four fifths are used. used_up: new payments are refused until the day ends'),
  expected_at: seconds.nullable().describe('When it is used up at the pace of today; null if it lasts'),
  resets_at: seconds.describe('Unix seconds; the UTC midnight at which the day ends'),
  made_of: z
    .array(settlementShare)
    .describe('Your listed agents, the first hundred by number; empty if the limit does not depend on them'),
  rule: z
    .strictObject({
      per_stake: perBadge.describe('Settlements a UTC day of an agent, by its badge'),
      stake: z.string().describe('For each multiple of this many ETH staked'),
      at_least: z.number().int().describe('The minimum for every owner with a listed agent'),
      at_most: z.number().int().describe('The maximum for one owner'),
    })
    .nullable()
    .describe('How the limit of a listed owner is computed; null: it is one fixed number'),
  next_step: z.string().nullable().describe('How to raise the limit; null if it cannot be raised'),
})

/** The type that {@link settlementLimit} parses to. */
export type SettlementLimit = z.infer<typeof settlementLimit>

const MAX_WALLETS = 100
const MAX_LABEL_CHARACTERS = 64

/** `POST /v1/me/secrets` */
export const createSecret = z.strictObject({
  label: z
    .string()
    .max(MAX_LABEL_CHARACTERS)
    .optional()
    .describe('The label in lists; control characters and spaces at both ends are removed'),
  wallets: z
    .array(
      z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
        .transform(text => text.toLowerCase()),
    )
    .min(1)
    .max(MAX_WALLETS)
    .optional()
    .describe('Each your own address or the proven wallet of a listed agent of yours; default all of these'),
})

/** A new FACILITATOR_SECRET. This answer is the only one that contains its value. */
export const createdSecret = z.strictObject({
  ...secret.shape,
  secret: z.string().describe('Give it to your agent as FACILITATOR_SECRET; it cannot be shown again'),
})

/** The type that {@link createdSecret} parses to. */
export type CreatedSecret = z.infer<typeof createdSecret>
