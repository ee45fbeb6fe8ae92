import type { JobPayment, JobResult } from '@farebox/client/job-result'
import { readJournalEntry, type JournalEntry } from '@farebox/client/journal-entry'
import { receiptProvesPayment } from '@farebox/payments/chain-proof'
import { readReceipt } from '@farebox/payments/chain-receipt'
import { findNetwork } from '@farebox/payments/networks'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { OpenChain } from '../chain/open-chain.ts'
import { readUsdcBalance } from '../chain/read-balances.ts'
import type { LocalEconomy } from '../keys/local-economy.ts'
import { paintFor } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'
import { deliveredDocument } from './call-document.ts'

/** What is shown of a delivered job. */
export interface Delivered {
  readonly result: JobResult
  readonly capability: string
  readonly json: boolean
  /** The pair that paid; undefined in dev mode. */
  readonly entry: JournalEntry | undefined
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
}

/** The output to the output; what was paid for it, and what is wrong with it, beside it. */
export async function showDelivered(world: World, delivered: Delivered): Promise<void> {
  const { result, capability, json } = delivered
  const indent = world.out.live ? 2 : undefined
  const document = json ? deliveredDocument(result, capability) : result.output
  world.out.write(`${printableJson(document, json ? undefined : indent)}\n`)
  const { err } = world
  const { yellow } = paintFor(err)
  if (result.violation !== undefined) {
    const { field, reason } = result.violation
    err.write(
      `  ${yellow('!')} the output is not what was declared: ${printable(field)}: ${printable(reason)}\n`,
    )
  }
  if (result.payment !== undefined) await showReceipt(world, delivered, result.payment)
}

async function showReceipt(world: World, delivered: Delivered, payment: JobPayment): Promise<void> {
  const { err } = world
  const { green, yellow, dim } = paintFor(err)
  const row = (name: string, text: string): string => `    ${dim(name.padEnd(13))}${text}\n`
  const { transaction, receiptProblem, amountAtomic } = payment
  const proof = await proofOf(delivered, payment)
  const mark = transaction === undefined || proof.problem !== undefined ? yellow('!') : green('✓')
  err.write(`  ${mark} paid ${formatUsdc(amountAtomic, { decimals: 6 })} USDC\n`)
  if (transaction !== undefined) err.write(row('transaction', `${transaction}${proof.block}`))
  if (receiptProblem !== undefined) err.write(row('receipt', printable(receiptProblem)))
  if (proof.problem !== undefined) err.write(row('chain', proof.problem))
  if (proof.link !== undefined) err.write(row('look at it', proof.link))
  if (proof.balance !== undefined) {
    err.write(row('balance', `${formatUsdc(proof.balance, { decimals: 6 })} USDC`))
  }
}

interface Proof {
  /** ` in block 7`, or nothing. */
  readonly block: string
  /** What the chain says against the receipt. */
  readonly problem?: string
  readonly link?: string
  readonly balance?: bigint
}

/** What the chain says of it, where a node is known; what it does not tell is left out. */
async function proofOf({ chain, entry, local }: Delivered, payment: JobPayment): Promise<Proof> {
  const { transaction, network, payer } = payment
  const explorer = local?.network === network ? undefined : findNetwork(network)?.explorer
  const link =
    explorer === undefined || transaction === undefined ? {} : { link: `${explorer}/tx/${transaction}` }
  if (chain === undefined) return { block: '', ...link }
  const balance = await readUsdcBalance(chain, payer).then(
    read => ({ balance: read }),
    () => ({}),
  )
  const inBlock = transaction === undefined ? { block: '' } : await blockOf(chain, transaction, entry)
  return { ...inBlock, ...link, ...balance }
}

async function blockOf(
  { rpc, network }: OpenChain,
  transaction: string,
  entry: JournalEntry | undefined,
): Promise<Pick<Proof, 'block' | 'problem'>> {
  const receipt = await readReceipt(rpc, transaction).catch(() => 'no answer' as const)
  if (receipt === 'no answer') return { block: '' }
  if (receipt === undefined)
    return { block: '', problem: 'the node does not know that transaction, or not yet' }
  const block = ` in block ${receipt.blockNumber}`
  const proves =
    entry === undefined || receiptProvesPayment(network, readJournalEntry(entry).authorization, receipt)
  return proves ? { block } : { block, problem: 'that transaction does not hold this payment' }
}
