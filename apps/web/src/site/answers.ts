import { readAnswer, type AnswerSchema } from '@farebox/client/internal/exchange/read-answer'
import { plainBalance } from './plain-balance.ts'

/** Loads the schema of an answer with the first request that needs it, so that a first page contains neither it nor zod. */
export type AnswerOf<T> = () => Promise<AnswerSchema<T>>

const agent = () => load(import('@farebox/platform-api/agent'))
const badges = () => load(import('@farebox/platform-api/badges'))
const capabilities = () => load(import('@farebox/platform-api/flows/capabilities'))
const checks = () => load(import('@farebox/platform-api/registration/registration-check'))
const errors = () => load(import('@farebox/platform-api/errors'))
const flowCheck = () => load(import('@farebox/platform-api/flows/flow-check'))
const jobs = () => load(import('@farebox/platform-api/jobs'))
const limits = () => load(import('@farebox/platform-api/limits/wallet-limits'))
const monitor = () => load(import('@farebox/platform-api/monitor'))
const ownerDashboard = () => load(import('@farebox/platform-api/me/owner-dashboard'))
const owners = () => load(import('@farebox/platform-api/owners'))
const payerJobs = () => load(import('@farebox/platform-api/me/payer-jobs'))
const publicReceipts = () => load(import('@farebox/platform-api/public-receipts'))
const receiptKeys = () => load(import('@farebox/platform-api/receipt-keys'))
const registry = () => load(import('@farebox/platform-api/registry'))
const runQuote = () => load(import('@farebox/platform-api/flows/run-quote'))
const runs = () => load(import('@farebox/platform-api/flows/runs'))
const savedFlows = () => load(import('@farebox/platform-api/flows/saved-flows'))
const search = () => load(import('@farebox/platform-api/search'))
const wallets = () => load(import('@farebox/platform-api/wallets'))

/** The answers of the platform's routes, by the names of the schemas in `platform-api`. */
export const answers = {
  agentBadge: async () => (await badges()).agentBadge,
  agentHealth: async () => (await monitor()).agentHealth,
  agentPage: async () => (await agent()).agentPage,
  agentSpender: async () => (await limits()).agentSpender,
  browserSignInClaimed: async () => {
    const { browserSignInWaiting, session } = await owners()
    return eitherOf(browserSignInWaiting, session)
  },
  browserSignInOpened: async () => (await owners()).browserSignInOpened,
  capabilities: async () => (await capabilities()).capabilitiesAnswer,
  chosenCategory: async () => (await owners()).chosenCategory,
  createdSecret: async () => (await owners()).createdSecret,
  dashboard: async () => (await owners()).dashboard,
  declarationHistory: async () => (await registry()).declarationHistory,
  failure: async () => (await errors()).failure,
  firstJob: async () => (await wallets()).firstJob,
  flowChecked: async () => (await flowCheck()).flowChecked,
  flowShared: async () => (await savedFlows()).flowShared,
  flows: async () => (await savedFlows()).flowsAnswer,
  healthDays: async () => (await monitor()).healthDays,
  job: async () => (await jobs()).job,
  keySet: async () => (await receiptKeys()).keySet,
  localChain: async () => (await wallets()).localChainAnswer,
  me: async () => (await owners()).me,
  /** Accepts any answer, for routes where it is enough that the platform has done the work. */
  none: async () => ({ safeParse: () => ({ success: true, data: null }) as const }),
  ownedAgents: async () => (await owners()).ownedAgents,
  ownerDashboard: async () => (await ownerDashboard()).ownerDashboard,
  ownerJobs: async () => (await ownerDashboard()).ownerJobs,
  payerJobs: async () => (await payerJobs()).payerJobs,
  platform: async () => (await registry()).platform,
  publicReceipt: async () => (await publicReceipts()).publicReceipt,
  publicReceipts: async () => (await publicReceipts()).publicReceipts,
  quote: async () => (await jobs()).quote,
  refreshed: async () => (await registry()).refreshed,
  registration: async () => (await registry()).registration,
  registrationCheck: async () => (await checks()).registrationCheck,
  registrationFailure: async () => (await checks()).registrationFailure,
  run: async () => (await runs()).run,
  runProgress: async () => (await runs()).runProgress,
  runQuote: async () => (await runQuote()).runQuote,
  runStarted: async () => (await runs()).runStarted,
  runs: async () => (await runs()).runsAnswer,
  savedFlow: async () => (await savedFlows()).savedFlow,
  search: async () => (await search()).searchAnswer,
  secrets: async () => (await owners()).secrets,
  sessions: async () => (await owners()).sessions,
  settlementLimit: async () => (await owners()).settlementLimit,
  sharedFlow: async () => (await savedFlows()).sharedFlow,
  signInTerms: async () => (await owners()).signInTerms,
  templates: async () => (await savedFlows()).templatesAnswer,
  tokenApprovals: async () => (await limits()).tokenApprovals,
  walletBalance: async () => plainBalance,
  walletLimits: async () => (await limits()).walletLimits,
  walletSpends: async () => (await limits()).walletSpends,
  webhook: async () => (await monitor()).webhook,
  webhookMade: async () => (await monitor()).webhookMade,
  webhookTested: async () => (await monitor()).webhookTested,
}

/**
 * An answer with one of two schemas. A zod union hides which keys were unknown, so each schema is applied separately,
 * ignoring unknown keys. For an answer that matches neither, the issues are those of the last schema.
 */
function eitherOf<One, Other>(one: AnswerSchema<One>, other: AnswerSchema<Other>): AnswerSchema<One | Other> {
  return {
    safeParse(value) {
      const data = readAnswer(one, value) ?? readAnswer(other, value)
      return data === undefined ? other.safeParse(value) : { success: true, data }
    },
  }
}

/**
 * Loads a module together with zod's settings, which have to apply before any schema is made. A server needs no settings.
 */
async function load<Module>(module: Promise<Module>): Promise<Module> {
  const setting = typeof document === 'undefined' ? undefined : import('./without-eval.ts')
  const [loaded] = await Promise.all([module, setting])
  return loaded
}
