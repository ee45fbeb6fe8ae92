import { DRAIN_HELP } from '@farebox/server/internal/drain'
import type { VariablesHelp } from '@farebox/server/internal/program/variables'

/** Every variable of `farebox-facilitator`, as its help lists them; `readEnvironment` reads exactly these. */
export const FACILITATOR_VARIABLES = {
  EVM_RPC_URL: { meaning: 'http(s) URL of a JSON-RPC node of the network', default: 'required' },
  EVM_SECOND_RPC_URL: {
    meaning: 'a node of another provider: a settlement counts only when both say so',
  },
  RELAYER_PRIVATE_KEY: {
    meaning:
      'the key of the account that pays the gas, or several keys separated by commas; required, here or in RELAYER_PRIVATE_KEY_FILE',
    default: 'required',
  },
  RELAYER_PRIVATE_KEY_FILE: {
    meaning: 'a file that holds the key, or one key on each line; keeps keys out of process listings',
  },
  FACILITATOR_NETWORK: {
    meaning: 'the one network this process settles on (CAIP-2)',
    default: 'eip155:8453',
  },
  DATABASE_URL: { meaning: 'postgres:// URL of PostgreSQL 14 or newer', default: 'required' },
  DATABASE_DIRECT_URL: {
    meaning: 'the PostgreSQL server itself, where DATABASE_URL leads to a pooler such as PgBouncer',
  },
  DATABASE_SCHEMA: { meaning: 'the schema with everything in it', default: 'farebox_facilitator' },
  FACILITATOR_DATA: {
    meaning: 'where the PostgreSQL of apps/facilitator keeps its files',
    default: '.farebox/facilitator',
  },
  FACILITATOR_HOST: { meaning: 'the address it listens on', default: '127.0.0.1' },
  FACILITATOR_PORT: { meaning: 'the port it listens on; 0 for any free one', default: '4010' },
  METRICS_PORT: { meaning: 'serves /metrics there; unset: nowhere' },
  DRAIN_SECONDS: DRAIN_HELP,
  FACILITATOR_ADMIN_TOKEN: {
    meaning: 'opens /secrets to the platform, at least 16 characters; unset: these routes do not exist',
  },
  FACILITATOR_MIN_AMOUNT: {
    meaning: 'USDC; smaller payments would not be worth their gas',
    default: '0.001',
  },
  FACILITATOR_DAILY_SETTLEMENTS: {
    meaning:
      'settlements per UTC day for a listed owner to whom no platform grants a number; if you set it, it also limits owners that you named',
    default: '100000; no limit for owners you named',
  },
  FACILITATOR_DAILY_SETTLEMENTS_MOST: {
    meaning: 'the most settlements per UTC day that a platform may grant a listed owner',
    default: 'FACILITATOR_DAILY_SETTLEMENTS if set, else 1000000',
  },
  FACILITATOR_DAILY_SETTLEMENTS_UNLISTED: {
    meaning: 'settlements per UTC day for an owner without a listed agent, from ordinary accounts only',
    default: '20',
  },
  FACILITATOR_KNOWN_CODES: {
    meaning:
      'code hashes, with commas between: accounts delegated to such a contract pay as ordinary ones do',
    default: 'none',
  },
  FACILITATOR_REQUESTS_PER_SECOND: {
    meaning: 'for each secret, route and process; twice that in a burst',
    default: '500',
  },
  FACILITATOR_MAX_FEE_GWEI: {
    meaning: 'what a unit of gas may cost; above it payments wait and new ones are refused',
    default: '50',
  },
  FACILITATOR_MIN_SETTLEMENTS_LEFT: {
    meaning: 'new payments are refused when all keys together have gas for fewer settlements',
    default: '50',
  },
} as const satisfies VariablesHelp
