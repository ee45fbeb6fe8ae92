import type { Flow } from '@farebox/flows/document/flow'
import type { FlowChecked, FlowFinding } from '@farebox/platform-api/flows/flow-check'
import { paintFor } from '../../terminal/paint.ts'
import { printable } from '../../terminal/printable.ts'
import { wrap } from '../../terminal/wrap.ts'
import type { World } from '../../world.ts'

const INDENT = 4

/** What was found, a paragraph each with its repairs, and what a run costs. */
export function showFlowCheck({ out }: World, flow: Flow, checked: FlowChecked): void {
  const { bold, dim, red, green } = paintFor(out)
  const steps = Object.values(flow.steps)
  const jobs = steps.filter(({ kind }) => kind === 'job').length
  const size = `${count(steps.length, 'step')}, ${count(jobs, 'paid job')}`
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
      : `\n${red('✗')} it cannot be run: ${count(errors, 'error')}\n`,
  )
}

/** What was found, a paragraph each with its repairs. */
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

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
