import { DRAIN_HELP } from '@farebox/server/internal/drain'
import type { VariablesHelp } from '@farebox/server/internal/program/variables'

/** Every variable of `farebox-platform`, as its help lists them; `readEnvironment` reads only these. */
export const PLATFORM_VARIABLES = {
  PLATFORM_PUBLIC_URL: {
    meaning:
      'the https origin by which people and programs reach it, such as https://farebox.example; not required where PLATFORM_LOCAL is true',
    default: 'required',
  },
  EVM_RPC_URL: { meaning: 'http(s) URL of a JSON-RPC node of the network', default: 'required' },
  AGENT_REGISTRY_ADDRESS: {
    meaning: 'the AgentRegistry contract; farebox-platform deploy-registry puts one on a chain',
    default: 'required',
  },
  DATABASE_URL: {
    meaning: 'postgres:// URL of PostgreSQL 14 or newer with the extension pg_trgm',
    default: 'required',
  },
  DATABASE_DIRECT_URL: {
    meaning: 'the PostgreSQL server itself, where DATABASE_URL leads to a pooler such as PgBouncer',
  },
  DATABASE_SCHEMA: { meaning: 'the schema with everything in it', default: 'farebox_platform' },
  PLATFORM_DATA: {
    meaning: 'where the PostgreSQL of apps/platform keeps its files',
    default: '.farebox/platform',
  },
  PAYMENT_ENCRYPTION_KEY: {
    meaning:
      'encrypts payments in the database: 0x and 64 hex digits, the same for every process; not required without DATABASE_URL or where PLATFORM_LOCAL is true: a file in PLATFORM_DATA then',
    default: 'required',
  },
  PAYMENT_ENCRYPTION_KEY_FILE: { meaning: 'a file with that key, in place of the variable' },
  PAYMENT_ENCRYPTION_KEY_BEFORE: {
    meaning: 'the key before, while it is replaced: what it encrypted is still read',
  },
  PAYMENT_ENCRYPTION_KEY_BEFORE_FILE: { meaning: 'a file with that key, in place of the variable' },
  PLATFORM_HOST: { meaning: 'the address it listens on', default: '127.0.0.1' },
  PLATFORM_PORT: { meaning: 'the port it listens on; 0 for any free one', default: '4000' },
  PLATFORM_TRUSTED_PROXIES: {
    meaning: 'addresses or CIDR ranges, with commas, of proxies whose X-Forwarded-For is believed',
  },
  PLATFORM_SHUNNED_HOSTS: {
    meaning: 'host names, with commas, that are never called, nor what is below them',
  },
  PLATFORM_SHUNNED_ADDRESSES: {
    meaning: 'public addresses or CIDR ranges, with commas, that are never called',
  },
  PLATFORM_PRIVATE_OWNERS: {
    meaning: 'owners, with commas, whose agents may be on the private networks below; goes with the next two',
  },
  PLATFORM_PRIVATE_HOSTS: {
    meaning: 'host names on these networks, with commas; what is below them is included',
  },
  PLATFORM_PRIVATE_ADDRESSES: {
    meaning: 'addresses or CIDR ranges of these networks, with commas',
  },
  PLATFORM_PRIVATE_CA_FILE: {
    meaning: 'certificate authorities, in PEM, that are trusted on these networks beside the public ones',
  },
  PLATFORM_NETWORK: { meaning: 'the chain of stakes and payments (CAIP-2)', default: 'eip155:8453' },
  AGENT_REGISTRY_BLOCK: {
    meaning: 'the block that created the contract; earlier ones are not read',
    default: '0',
  },
  SPEND_PERMISSIONS_BLOCK: {
    meaning: 'the block that created SpendPermissions; earlier ones are not read',
    default: '0',
  },
  REGISTRY_CONFIRMATIONS: {
    meaning: 'blocks on top of a registration before it counts; 0 where PLATFORM_LOCAL is true',
    default: '12',
  },
  PLATFORM_CHECK_SECONDS: { meaning: 'between two checks of an agent’s /health', default: '600' },
  PLATFORM_REFRESH_SECONDS: { meaning: 'between two reads of its /about', default: '86400' },
  FACILITATOR_URL: {
    meaning:
      'your facilitator: owners can then make a FACILITATOR_SECRET here; goes with FACILITATOR_ADMIN_TOKEN',
  },
  FACILITATOR_ADMIN_TOKEN: { meaning: 'the service token of that facilitator' },
  PLATFORM_SETTLEMENTS_PER_STAKE: {
    meaning:
      'settlements a UTC day that an agent adds to its owner’s for each 0.001 ETH staked: without a badge, verified, bronze, silver, gold; off: the facilitator’s one number for every listed owner',
    default: '1000,2000,10000,100000,1000000',
  },
  PLATFORM_SETTLEMENTS_AT_LEAST: {
    meaning: 'settlements a UTC day of every owner with a listed agent',
    default: '1000',
  },
  PLATFORM_SETTLEMENTS_AT_MOST: {
    meaning: 'settlements a UTC day of one owner; the facilitator has a ceiling of its own',
    default: '1000000',
  },
  PLATFORM_OPERATOR_TOKEN: {
    meaning: 'opens the operator’s routes, at least 16 characters; unset: they do not exist',
  },
  CANARY_PRIVATE_KEY: {
    meaning: 'pays for the platform’s own daily jobs; unset: none are ordered; goes with CANARY_DAILY_BUDGET',
  },
  CANARY_PRIVATE_KEY_FILE: { meaning: 'a file with that key, in place of the variable' },
  CANARY_DAILY_BUDGET: { meaning: 'USDC that these jobs may cost in a UTC day, in all' },
  PLATFORM_LOCAL: {
    meaning:
      'exactly true or false; true lets agents be on this machine, over http: never for a public platform',
    default: 'false',
  },
  FAUCET_PRIVATE_KEY: {
    meaning: 'gives test money to whoever asks, on a local chain; only where PLATFORM_LOCAL is true',
  },
  FAUCET_PRIVATE_KEY_FILE: { meaning: 'a file with that key, in place of the variable' },
  METRICS_PORT: { meaning: 'serves /metrics there; unset: nowhere' },
  DRAIN_SECONDS: DRAIN_HELP,
} as const satisfies VariablesHelp
