import { printable } from '@farebox/conformance/internal/printable'
import { findNetwork } from '@farebox/payments/networks'
import type { Flow } from '@farebox/flows/document/flow'
import { readJobKey } from '@farebox/flows/run/run-state'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { namePaidNetwork } from '../../chain/name-network.ts'
import type { LocalEconomy } from '../../keys/local-economy.ts'
import type { PayingKey } from '../../keys/paying-key.ts'
import { CommandError } from '../../command-error.ts'
import { many, paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { whoDoes } from './step-lines.ts'
import type { SignOrder } from './run-options.ts'
import { spellAddress } from '../../keys/spell-address.ts'

/** The total that a person agrees to, or that `--max-total` has agreed to. */
export interface TotalTerms {
  readonly flow: Flow
  readonly quote: RunQuote
  readonly key: PayingKey
  readonly platformUrl: string
  readonly local: LocalEconomy | undefined
  readonly sign: SignOrder
  /** Whether `--max-total` was given. */
  readonly isAgreed: boolean
}

/**
 * Shows the payments, their purpose, the recipients and the paying wallet, and asks the person to agree unless
 * `--max-total` already did.
 *
 * @throws {CommandError} when the person does not agree; nothing was signed
 */
export async function agreeTotal(world: World, terms: TotalTerms): Promise<void> {
  const { quote, sign, isAgreed } = terms
  const total = totalOf(terms)
  await showTerms(world, terms, total)
  if (isAgreed) return
  const now = sign === 'upfront' ? quote.jobs.filter(job => job.sign === 'now').length : 0
  const what = now === 0 ? 'Run it' : `Sign ${many(now, 'payment')} and run it`
  const agreed = await world.ask.confirm(`${what}, for ${formatUsdc(total)} USDC at most?`)
  if (!agreed) throw new CommandError('not run', 'nothing was signed')
}

/** Returns the maximum total, in atomic units. */
function totalOf({ flow, quote }: Pick<TotalTerms, 'flow' | 'quote'>): bigint {
  return rowsOf(flow, quote).reduce((sum, { atomic }) => sum + atomic, 0n)
}

interface Row {
  readonly step: string
  readonly who: string
  readonly atomic: bigint
  readonly note: string
}

/** Returns a row for each paid step; a list is one row with the maximum number of its items. */
function rowsOf(flow: Flow, { jobs }: RunQuote): readonly Row[] {
  const rows = new Map<string, Row>()
  for (const { key, sign, quote } of jobs) {
    const id = readJobKey(key)?.step ?? key
    const step = flow.steps[id]
    const price = readUsdc(quote?.amount)
    const count = step?.kind === 'job' ? (step.map?.most ?? 1) : 1
    const notes = [
      count === 1 ? '' : `up to ${count} at ${printable(quote?.amount ?? '?')}`,
      sign === 'later' ? 'signed when it is ready' : '',
    ]
    rows.set(id, {
      step: printable(id),
      who: whoDoes(step),
      atomic: (price.ok ? price.atomic : 0n) * BigInt(count),
      note: notes.filter(note => note !== '').join(', '),
    })
  }
  return [...rows.values()]
}

async function showTerms(world: World, terms: TotalTerms, total: bigint): Promise<void> {
  const { flow, quote, key, platformUrl, local } = terms
  const { bold, dim } = paintFor(world.err)
  const rows = rowsOf(flow, quote)
  const wide = (texts: readonly string[]): number => Math.max(5, ...texts.map(({ length }) => length))
  const [steps, whos] = [wide(rows.map(({ step }) => step)), wide(rows.map(({ who }) => who))]
  const network = findNetwork(quote.jobs[0]?.quote?.network ?? '')
  const on = network === undefined ? '' : ` on ${namePaidNetwork(network, platformUrl, local)}`
  const price = (atomic: bigint): string => formatUsdc(atomic, { decimals: 6 }).padStart(11)
  const from = await spellAddress(key.address)
  const lines = [
    `${bold(printable(flow.name))}   ${dim(`at ${platformUrl}`)}`,
    '',
    ...rows.map(
      ({ step, who, atomic, note }) =>
        `  ${step.padEnd(steps)}  ${dim(who.padEnd(whos))}  ${price(atomic)}${note === '' ? '' : `  ${dim(note)}`}`,
    ),
    `  ${dim('total'.padEnd(steps + 2 + whos))}  ${price(total)} USDC${on}`,
    `  ${dim('from'.padEnd(steps))}  ${from}  ${key.source}`,
    '',
  ]
  world.err.write(`${lines.join('\n')}\n`)
}
