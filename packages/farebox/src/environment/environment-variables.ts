import { findNetwork } from '@farebox/payments/networks'

/** The values of variables that are not set (D30). */
export const ENVIRONMENT_DEFAULTS = {
  FACILITATOR_URL: 'http://127.0.0.1:4010',
  SERVICE_NETWORK: 'eip155:8453',
  SERVICE_STORE: 'lmdb:.farebox/jobs',
  PORT: 3000,
  SERVICE_LOG: 'text',
  SERVICE_ISOLATION: 'none',
  SERVICE_LEAST_DEADLINE_SECONDS: 0,
  SERVICE_DRAIN_SECONDS: 0,
  SERVICE_METRICS_HOST: '127.0.0.1',
  /** Decimal USDC. */
  HIRING_DAILY_BUDGET: '10',
  HIRING_JOB_PERCENT: 90,
} as const

/** One variable, as shown in the help. */
export interface EnvironmentVariable {
  readonly name: string
  /** `required`, the default, or `–` if there is none. */
  readonly fallback: string
  readonly meaning: string
}

/** All environment variables of an agent, the most important first (D30). */
export const ENVIRONMENT_VARIABLES: readonly EnvironmentVariable[] = [
  {
    name: 'AGENT_WALLET_ADDRESS',
    fallback: 'required',
    meaning: 'who is paid: an address of 40 hex digits',
  },
  {
    name: 'SERVICE_DEV_MODE',
    fallback: 'required',
    meaning: 'exactly "false": jobs are paid for; exactly "true": every job is free',
  },
  {
    name: 'FACILITATOR_SECRET',
    fallback: '–',
    meaning: 'says to the facilitator whose agent this is; without it no payment is taken',
  },
  {
    name: 'FACILITATOR_URL',
    fallback: ENVIRONMENT_DEFAULTS.FACILITATOR_URL,
    meaning: 'who verifies and settles payments',
  },
  {
    name: 'SERVICE_NETWORK',
    fallback: ENVIRONMENT_DEFAULTS.SERVICE_NETWORK,
    meaning: `the chain of the payments; the default is ${findNetwork(ENVIRONMENT_DEFAULTS.SERVICE_NETWORK)?.name}`,
  },
  {
    name: 'SERVICE_STORE',
    fallback: ENVIRONMENT_DEFAULTS.SERVICE_STORE,
    meaning: 'where jobs are kept: memory:, lmdb:<folder> or redis://host:port',
  },
  {
    name: 'SERVICE_RPC_URL',
    fallback: '–',
    meaning: 'a node of the chain; needed where the facilitator proves nothing itself, and to spend',
  },
  {
    name: 'SPENDER_PRIVATE_KEY',
    fallback: '–',
    meaning: 'the key that moves what payers permit handlers to spend; with gas of its own',
  },
  {
    name: 'AGENT_ID',
    fallback: '–',
    meaning: 'what the agent is registered under; needed with SPENDER_PRIVATE_KEY',
  },
  {
    name: 'HIRING_PRIVATE_KEY',
    fallback: '–',
    meaning: 'the key that pays for what handlers hire; its wallet has USDC of its own and needs no gas',
  },
  {
    name: 'HIRING_JOB_PERCENT',
    fallback: String(ENVIRONMENT_DEFAULTS.HIRING_JOB_PERCENT),
    meaning: 'of the price of a job, the most that it may pay for hires: 1 to 90',
  },
  {
    name: 'HIRING_DAILY_BUDGET',
    fallback: ENVIRONMENT_DEFAULTS.HIRING_DAILY_BUDGET,
    meaning: 'USDC that all hires of a UTC day may cost',
  },
  {
    name: 'HIRING_DAILY_LOSSES',
    fallback: '–',
    meaning:
      'USDC a UTC day for jobs that are not paid in the end, a quarter of it a payer; unset: a tenth of the budget',
  },
  {
    name: 'SERVICE_PUBLIC_URL',
    fallback: '–',
    meaning: 'where callers reach this agent, behind a proxy for example',
  },
  { name: 'PORT', fallback: String(ENVIRONMENT_DEFAULTS.PORT), meaning: 'where it listens' },
  { name: 'SERVICE_LOG', fallback: ENVIRONMENT_DEFAULTS.SERVICE_LOG, meaning: '"json": one object a line' },
  {
    name: 'SERVICE_ISOLATION',
    fallback: ENVIRONMENT_DEFAULTS.SERVICE_ISOLATION,
    meaning: '"worker": handlers run in processes of their own, and harm their own job alone',
  },
  {
    name: 'SERVICE_LEAST_DEADLINE_SECONDS',
    fallback: String(ENVIRONMENT_DEFAULTS.SERVICE_LEAST_DEADLINE_SECONDS),
    meaning: 'a new job with less time left is answered 408 before any work',
  },
  {
    name: 'SERVICE_DRAIN_SECONDS',
    fallback: String(ENVIRONMENT_DEFAULTS.SERVICE_DRAIN_SECONDS),
    meaning: 'how long it takes jobs after SIGTERM, until balancers have noticed',
  },
  {
    name: 'SERVICE_METRICS_PORT',
    fallback: '–',
    meaning: 'serves /metrics for Prometheus there, on this machine',
  },
  {
    name: 'SERVICE_METRICS_HOST',
    fallback: ENVIRONMENT_DEFAULTS.SERVICE_METRICS_HOST,
    meaning: 'from where metrics may be asked for: 0.0.0.0 for everywhere',
  },
]
