import { encodeRegister, STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { until } from '@farebox/protocol/src/test-setup/until'
import { askDatabase } from '../storms/stage/ask-database.ts'
import type { Stage } from '../storms/stage/stage.ts'

/** What the platforms know of the agents. */
// A type alias, because an interface cannot be the type of a query row.
export type Registered = {
  readonly listed: number
  readonly checked: number
  /** After five checks that failed. */
  readonly offline: number
}

/** A registration takes about half of it. */
const GAS = '0x7a120'
const PLATFORM_SCHEMA = 'farebox_platform'

/** Registers endpoints at the contract, each by a transaction with its stake; resolves once all are in blocks. */
export async function registerOnChain(
  { rpcUrl, agentRegistry }: LocalChain,
  owner: string,
  endpoints: readonly string[],
): Promise<void> {
  const count = async (): Promise<number> =>
    Number(await callAnvil(rpcUrl, 'eth_getTransactionCount', [owner, 'latest']))
  const first = await count()
  const value = `0x${STAKE_WEI.toString(16)}`
  for (const [index, endpoint] of endpoints.entries()) {
    const nonce = `0x${(first + index).toString(16)}`
    const data = encodeRegister(endpoint)
    const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' }
    const transaction = { from: owner, to: agentRegistry, data, value, gas: GAS, nonce, ...fees }
    await callAnvil(rpcUrl, 'eth_sendTransaction', [transaction])
  }
  await until(async () => (await count()) >= first + endpoints.length)
}

/** Waits until the platforms list so many agents and have checked each. */
export async function untilListed(
  { databaseUrl, signal }: Pick<Stage, 'databaseUrl' | 'signal'>,
  agents: number,
  tell: (listed: number) => void,
): Promise<void> {
  await until(async () => {
    const { listed, checked } = await readRegistered(databaseUrl)
    tell(Math.min(listed, checked))
    return signal.aborted || (listed === agents && checked === agents)
  }, 500)
}

export async function readRegistered(databaseUrl: string): Promise<Registered> {
  const [row] = await askDatabase<Registered>(
    databaseUrl,
    `select count(*) filter (where standing = 'listed')::int as listed, count(checked_at)::int as checked,
       count(*) filter (where is_offline)::int as offline
     from ${PLATFORM_SCHEMA}.agents left join ${PLATFORM_SCHEMA}.agent_health using (agent_id)`,
  )
  return row ?? { listed: 0, checked: 0, offline: 0 }
}

/** The number under which an endpoint is registered. */
export async function findAgentId(databaseUrl: string, endpoint: string): Promise<number> {
  const text = `select agent_id::int as id from ${PLATFORM_SCHEMA}.agents where endpoint = $1`
  const [row] = await askDatabase<{ id: number }>(databaseUrl, text, [endpoint])
  if (row === undefined) throw new Error(`${endpoint} is not registered`)
  return row.id
}

/** The jobs of the platforms that have no end. */
export async function countOpenJobs(databaseUrl: string): Promise<number> {
  const text = `select count(*)::int as open from ${PLATFORM_SCHEMA}.jobs where state in ('sent', 'pending')`
  return (await askDatabase<{ open: number }>(databaseUrl, text))[0]?.open ?? 0
}
