import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { flowChecked, type FlowChecked, type FlowFinding } from '@farebox/platform-api/flows/flow-check'
import { CommandError, EXIT, type ExitCode } from '../../command-error.ts'
import { createAskPlatform } from '../../register/platform/ask-platform.ts'
import { findPlatform } from '../../register/platform/find-platform.ts'
import { many, paintFor, wrap } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { MAX_FLOW_CHARACTERS } from '@farebox/flows/internal/document/flow-limits'
import { readFlow } from '@farebox/flows/document/read-flow'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { readForeignText } from '../../terminal/read-foreign-text.ts'

export interface RawFlowCheckOptions {
  readonly offline?: true
  readonly payer?: string
  readonly platform?: string
  readonly json?: true
}

/** `farebox flow check`. Exit code 1 when the flow cannot be run. */
export async function checkFlowFile(world: World, file: string, raw: RawFlowCheckOptions): Promise<ExitCode> {
  const flow = await readFlowFile(world, file)
  // The same code produces both outputs, so that the JSON matches the text.
  const checked =
    raw.offline === true ? flowChecked.parse(checkFlow(flow)) : await askPlatform(world, flow, raw)
  if (raw.json === true) world.out.write(`${printableJson(checked)}\n`)
  else showFlowCheck(world, flow, checked)
  return checked.ok ? EXIT.done : EXIT.refused
}

async function askPlatform(world: World, flow: Flow, raw: RawFlowCheckOptions): Promise<FlowChecked> {
  const { url } = await findPlatform(world, raw.platform)
  return await askForCheck(world, url, flow, raw.payer)
}

export async function askForCheck(
  world: World,
  url: string,
  flow: Flow,
  payer: string | undefined,
): Promise<FlowChecked> {
  const ask = createAskPlatform(url, world.signal)
  const body = { flow, ...(payer !== undefined && { payer }) }
  return await ask({ path: '/v1/flows/check', body, schema: flowChecked })
}

const INDENT = 4

function showFlowCheck({ out }: World, flow: Flow, checked: FlowChecked): void {
  const { bold, dim, red, green } = paintFor(out)
  const steps = Object.values(flow.steps)
  const jobs = steps.filter(({ kind }) => kind === 'job').length
  const size = `${many(steps.length, 'step')}, ${many(jobs, 'paid job')}`
  out.write(`${bold(printable(flow.name))}   ${dim(size)}\n\n`)
  showFindings(out, checked)
  const errors = checked.findings.filter(({ severity }) => severity === 'error').length
  const rows = [
    ['price', priceOf(checked)],
    ['time', timeOf(checked)],
    ['gives', Object.keys(checked.output_schema).map(printable).join(', ') || 'nothing'],
  ]
  out.write(rows.map(([name = '', text = '']) => `  ${dim(name.padEnd(7))}${text}\n`).join(''))
  out.write(
    checked.ok
      ? `\n${green('✓')} it can be run\n`
      : `\n${red('✗')} it cannot be run: ${many(errors, 'error')}\n`,
  )
}

export function showFindings(out: World['out'], { findings }: Pick<FlowChecked, 'findings'>): void {
  for (const finding of findings) showFinding(out, finding)
}

function showFinding(out: World['out'], { severity, step, port, message, repairs }: FlowFinding): void {
  const { bold, dim, red, yellow } = paintFor(out)
  const sign = { error: red('✗'), warning: yellow('!'), note: dim('·') }[severity]
  const place = [step, port].filter(part => part !== undefined).map(printable)
  const [first = '', ...rest] = wrap(printable(message), Math.max(20, out.columns - INDENT))
  const head = place.length === 0 ? '' : `${bold(place.join('.'))}\n${' '.repeat(INDENT)}`
  out.write(`  ${sign} ${head}${[first, ...rest].join(`\n${' '.repeat(INDENT)}`)}\n`)
  for (const { label } of repairs) out.write(`${' '.repeat(INDENT)}${dim('→')} ${dim(printable(label))}\n`)
  out.write('\n')
}

function priceOf({ price }: FlowChecked): string {
  const { at_least: least, at_most: most } = price
  return least === most ? `${most} USDC` : `${least} to ${most} USDC`
}

function timeOf({ duration }: FlowChecked): string {
  const minutes = Math.ceil(duration.seconds / 60)
  const time = duration.seconds < 120 ? `${duration.seconds} s at most` : `${minutes} min at most`
  const waits = duration.waits_for.map(one => (one === 'person' ? 'a person' : 'a given time'))
  return waits.length === 0 ? time : `${time}, and what ${waits.join(' and ')} takes`
}

const SHOWN_PROBLEMS = 5

/** Reads the flow from a file, or from standard input for `-`. */
export async function readFlowFile(world: World, file: string): Promise<Flow> {
  const text = await readForeignText(world, file, { what: 'the flow', maxBytes: 2 * MAX_FLOW_CHARACTERS })
  return parseFlow(text)
}

function parseFlow(text: string): Flow {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read'
    throw new CommandError(`the flow is not JSON: ${printable(reason)}`, '', { cause })
  }
  const read = readFlow(value)
  if (read.ok) return read.flow
  const lines = read.problems.slice(0, SHOWN_PROBLEMS).map(problem => printable(formatProblem(problem)))
  const more = read.problems.length - lines.length
  throw new CommandError(
    'this is not a flow',
    [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
  )
}
