import { printable, printableJson } from '@farebox/conformance/internal/printable'
import type { Quote } from '@farebox/client/attempt/read-quote'
import { sample } from '@farebox/protocol/samples/sample'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { namePaidNetwork } from '../chain/name-network.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import type { CallOptions } from './call-options.ts'
import { commandArguments, shellLine } from './command-line.ts'
import { type InputArguments, readInput, saysInput } from './input/read-input.ts'
import { askCallPrice, type CallTarget, localEconomyBeside } from './target.ts'
import { spellAddress } from '../keys/spell-address.ts'

/**
 * `--dry-run`: shows the price, the terms, a valid input (the given one, else a sample) and the line that would run it.
 * Nothing is signed, and no key is read.
 */
export async function showDryRun(
  world: World,
  target: CallTarget,
  given: InputArguments,
  options: CallOptions,
): Promise<ExitCode> {
  const input = saysInput(given) ? await readInput(world, given, target.capability) : sampleOf(target)
  const price = await askCallPrice(world, target, options)
  const { url, name, capability } = target
  const agreed = price === undefined ? [] : ['--max-price', formatUsdc(price.amountAtomic)]
  const words = commandArguments({
    url,
    capability: name,
    input,
    fields: capability.input_schema,
    options: agreed,
  })
  const line = asTyped(world, shellLine(words))
  if (options.json) world.out.write(`${printableJson(documentOf(target, price, input, line))}\n`)
  else await show(world, target, price, { input, line })
  return EXIT.done
}

function sampleOf({ capability }: CallTarget): JsonObject {
  const made = sample(capability.input_schema)
  if (made.ok) return made.value
  const { field, reason } = made.violation
  throw new CommandError(
    `--${printable(field)}: ${printable(reason)}`,
    'give an input of your own beside --dry-run',
  )
}

function documentOf(target: CallTarget, price: Quote | undefined, input: JsonObject, line: string): object {
  const { declaration, name } = target
  return {
    ok: true,
    dry_run: true,
    agent: declaration.name,
    capability: name,
    price: price && {
      amount: formatUsdc(price.amountAtomic),
      currency: 'USDC',
      network: price.network.id,
      pay_to: price.payTo,
    },
    max_deadline_seconds: declaration.max_deadline_seconds,
    input,
    command: line,
  }
}

async function show(
  world: World,
  { url, declaration, name, capability }: CallTarget,
  price: Quote | undefined,
  { input, line }: { readonly input: JsonObject; readonly line: string },
): Promise<void> {
  const { bold, dim } = paintFor(world.out)
  const row = (title: string, text: string): string => `  ${dim(title.padEnd(9))}${text}`
  const local = price && (await localEconomyBeside(world, url, price.network.id))
  const permissions = (capability.permissions ?? []).map(({ reason, token, max_per_transaction: most }) =>
    row('asks for', `up to ${printable(most)} ${printable(token)} a transaction: ${printable(reason)}`),
  )
  const lines = [
    bold(`${printable(declaration.name)} · ${printable(name)}`),
    row(
      'price',
      price === undefined
        ? 'free: this agent is in dev mode'
        : `${formatUsdc(price.amountAtomic, { decimals: 6 })} USDC on ${namePaidNetwork(price.network, url, local)}`,
    ),
    ...(price === undefined ? [] : [row('to', await spellAddress(price.payTo))]),
    row('terms', `an answer within ${declaration.max_deadline_seconds} s; a job that fails is not charged`),
    ...permissions,
    row('input', printableJson(input)),
    '',
    '  Nothing was signed. This line runs it:',
    `  ${line}`,
  ]
  world.out.write(`${lines.join('\n')}\n`)
}
