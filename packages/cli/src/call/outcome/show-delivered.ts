import { printable, printableJson } from '@farebox/conformance/internal/printable'
import type { JobPayment, JobResult } from '@farebox/client/attempt/job-result'
import { type JournalEntry, readJournalEntry } from '@farebox/client/attempt/journal-entry'
import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { findNetwork } from '@farebox/payments/networks'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { OpenChain } from '../../chain/open-chain.ts'
import { readUsdcBalance } from '../../chain/read-balances.ts'
import type { LocalEconomy } from '../../keys/local-economy.ts'
import { paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { deliveredDocument } from './call-document.ts'

export interface Delivered {
  readonly result: JobResult
  readonly capability: string
  readonly json: boolean
  /** The job with its payment; `undefined` in dev mode. */
  readonly entry: JournalEntry | undefined
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
}

/** Prints the output to stdout. Prints the payment, how it was confirmed, and any problem with it to stderr. */
export async function showDelivered(world: World, delivered: Delivered): Promise<void> {
  const { result, capability, json } = delivered
  const { payment, violation } = result
  // The output is printed before the command waits for a node; a JSON document is printed once, at the end.
  if (!json) world.out.write(`${printableJson(result.output, world.out.live ? 2 : undefined)}\n`)
  const proof = payment === undefined ? undefined : await proofOf(delivered, payment)
  if (json) {
    const document = deliveredDocument(result, capability, proof?.isConfirmed)
    world.out.write(`${printableJson(document)}\n`)
  }
  const { err } = world
  if (violation !== undefined) {
    err.write(
      `  ${paintFor(err).yellow('!')} the output violates its schema: ${printable(violation.field)}: ${printable(violation.reason)}\n`,
    )
  }
  if (payment !== undefined && proof !== undefined) showReceipt(world, payment, proof)
}

function showReceipt({ err }: World, payment: JobPayment, proof: Proof): void {
  const { green, yellow, dim } = paintFor(err)
  const row = (name: string, text: string): string => `    ${dim(name.padEnd(13))}${text}\n`
  const { transaction, receiptProblem, amountAtomic } = payment
  const { isConfirmed, note, block, link, balance } = proof
  const mark = isConfirmed ? green('✓') : yellow('!')
  const word = isConfirmed ? '' : ', says the agent'
  err.write(`  ${mark} paid ${formatUsdc(amountAtomic, { decimals: 6 })} USDC${word}\n`)
  if (transaction !== undefined) {
    err.write(row('transaction', block === undefined ? transaction : `${transaction} in block ${block}`))
  }
  if (receiptProblem !== undefined) err.write(row('receipt', printable(receiptProblem)))
  if (note !== undefined) err.write(row('chain', note))
  if (link !== undefined) err.write(row('explorer', link))
  if (balance !== undefined) err.write(row('balance', `${formatUsdc(balance, { decimals: 6 })} USDC`))
}

interface Proof {
  /** Whether a node has confirmed the transfer of this payment. Otherwise only the agent reported it. */
  readonly isConfirmed: boolean
  /** The reason why it is not confirmed. */
  readonly note?: string
  readonly block?: bigint
  /** Only for a confirmed transaction on a public chain: a link for an invented one would make it look credible. */
  readonly link?: string
  readonly balance?: bigint
}

async function proofOf({ chain, entry, local }: Delivered, payment: JobPayment): Promise<Proof> {
  if (chain === undefined) {
    return {
      isConfirmed: false,
      note: 'no node was asked: --rpc-url <node>, or FAREBOX_RPC_URL, has it checked',
    }
  }
  const { transaction, network, payer } = payment
  const balance = await readUsdcBalance(chain, payer).catch(() => undefined)
  const found: Proof =
    transaction === undefined ? { isConfirmed: false } : await callNode(chain, transaction, entry)
  const isLocal = chain.isLocal || local?.network === network
  const explorer = isLocal ? undefined : findNetwork(network)?.explorer
  return {
    ...found,
    ...(found.isConfirmed && explorer !== undefined && { link: `${explorer}/tx/${transaction}` }),
    ...(balance !== undefined && { balance }),
  }
}

/** A resumed call that was answered before its entry was stored has no authorization to compare with. */
async function callNode(
  { rpc, network }: OpenChain,
  transaction: string,
  entry: JournalEntry | undefined,
): Promise<Proof> {
  const receipt = await readReceipt(rpc, transaction).catch(() => 'no answer' as const)
  if (receipt === 'no answer') return { isConfirmed: false, note: 'the node does not answer' }
  if (receipt === undefined)
    return { isConfirmed: false, note: 'the node does not know that transaction, or not yet' }
  const block = receipt.blockNumber
  const proves =
    entry !== undefined && receiptProvesPayment(network, readJournalEntry(entry).authorization, receipt)
  return proves
    ? { isConfirmed: true, block }
    : { isConfirmed: false, block, note: 'that transaction does not hold this payment' }
}
