import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { AnswerTooLarge } from '@farebox/payments/internal/http/http-json'
import type { TokenApproval, TokenApprovals } from '@farebox/platform-api/limits/wallet-limits'
import * as AbiEvent from 'ox/AbiEvent'
import type { Hex } from 'ox/Hex'
import { readHeadNumber, readLogs, TooManyBlocks, type ContractLog } from '../contract-events/read-chain.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readTokenAllowance, readSupply } from './read-approval.ts'

type ChainParts = Pick<PlatformParts, 'rpc' | 'network'>

const APPROVAL = AbiEvent.from(
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
)

/** The numbers of blocks requested at once; the next smaller one is used when the node refuses. */
const RANGES = [Number.POSITIVE_INFINITY, 1_000_000, 100_000, 10_000, 1_000]
const MOST_QUESTIONS = 16
/** The most spenders that are read, the newest ones; an owner with more is not expected. */
const MOST_SPENDERS = 100
const AT_ONCE = 10

/**
 * Finds an owner's token approvals that are not zero, the largest first. Reads the whole chain, or as much of its end as
 * the node returns in a few requests.
 *
 * @param owner lower-case address
 */
export async function findApprovals(parts: ChainParts, owner: Hex): Promise<TokenApprovals> {
  const { logs, fromBlock } = await readApprovalLogs(parts, owner)
  const newest = new Map<string, ContractLog>()
  for (const log of logs.toSorted((one, other) => one.blockNumber - other.blockNumber)) {
    const spender = spenderOf(log)
    newest.delete(spender)
    newest.set(spender, log)
  }
  const spenders = [...newest].slice(-MOST_SPENDERS)
  const supply = spenders.length === 0 ? 0n : await readSupply(parts)
  const approvals: (TokenApproval & { readonly atomic: bigint })[] = []
  for (let start = 0; start < spenders.length; start += AT_ONCE) {
    const batch = spenders.slice(start, start + AT_ONCE)
    const read = batch.map(async ([spender, log]) => {
      const atomic = await readTokenAllowance(parts, owner, spender as Hex)
      return { atomic, ...describe(spender, log, atomic, supply) }
    })
    approvals.push(...(await Promise.all(read)).filter(({ atomic }) => atomic > 0n))
  }
  approvals.sort((one, other) => (one.atomic < other.atomic ? 1 : -1))
  return { approvals: approvals.map(({ atomic: _, ...approval }) => approval), from_block: fromBlock }
}

async function readApprovalLogs(
  parts: ChainParts,
  owner: Hex,
): Promise<{ readonly logs: readonly ContractLog[]; readonly fromBlock: number }> {
  const { topics } = AbiEvent.encode(APPROVAL, { owner })
  const filter = { address: parts.network.asset.address.toLowerCase(), topics: topics.slice(0, 2) }
  const logs: ContractLog[] = []
  let to = await readHeadNumber(parts)
  let size = 0
  for (let asked = 0; asked < MOST_QUESTIONS && to >= 0; asked += 1) {
    const from = Math.max(0, to + 1 - (RANGES[size] ?? 1))
    try {
      logs.push(...(await readLogs(parts, filter, from, to)))
      to = from - 1
    } catch (error) {
      const isTooMuch =
        error instanceof JsonRpcError || error instanceof TooManyBlocks || error instanceof AnswerTooLarge
      if (!isTooMuch || size === RANGES.length - 1) throw error
      size += 1
    }
  }
  return { logs, fromBlock: to + 1 }
}

function spenderOf({ topics }: ContractLog): string {
  return `0x${(topics[2] ?? '').slice(26).toLowerCase()}`
}

function describe(spender: string, log: ContractLog, amount: bigint, supply: bigint): TokenApproval {
  return {
    spender,
    amount: amount.toString(),
    unlimited: amount > supply,
    is_permissions_contract: spender === SPEND_PERMISSIONS_ADDRESS.toLowerCase(),
    approved_at: Math.floor(log.blockAtMs / 1_000),
    transaction: log.transaction,
  }
}
