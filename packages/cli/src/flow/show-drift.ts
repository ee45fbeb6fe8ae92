import type { AgentDrift } from '@farebox/platform-api/flows/drift'
import { paintFor } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { wrap } from '../terminal/wrap.ts'
import type { World } from '../world.ts'

/** What was found, and of which agent. */
export interface FoundDrift {
  readonly agentId: number
  readonly name: string
  readonly drift: AgentDrift
}

const INDENT = 2

/** Each capability that changes with the flows that order it, and under it what would keep them from being run. */
export function showDrift({ out }: World, { agentId, name, drift }: FoundDrift): void {
  const { bold, dim, red, green } = paintFor(out)
  const { flows, changed, affected, examined } = drift
  out.write(
    `${bold(printable(name))}   ${dim(`agent ${agentId}, ${many(flows, 'flow')} order${flows === 1 ? 's' : ''} from it`)}\n\n`,
  )
  const broken = new Set(drift.broken.map(({ capability }) => capability))
  const names = changed.map(({ capability }) => printable(capability))
  const width = Math.max(0, ...names.map(({ length }) => length))
  for (const [index, one] of changed.entries()) {
    const sign = broken.has(one.capability) ? red('✗') : green('✓')
    const label = (names[index] ?? '').padEnd(width)
    const change = WORDS[one.change].padEnd(WORD_COLUMNS)
    out.write(`  ${sign} ${bold(label)}  ${dim(change)}  ${many(one.flows, 'flow')}\n`)
    showReasons(out, drift, one.capability)
  }
  if (changed.length > 0) out.write('\n')
  out.write(affected === 0 ? `${green('✓')} ${fine(drift)}\n` : `${red('✗')} ${bad(affected, examined)}\n`)
  if (affected > 0) out.write(`  ${dim(ADVICE)}\n`)
}

const WORDS = { changed: 'changed', dearer: 'dearer', gone: 'gone' } as const
const WORD_COLUMNS = 7
const ADVICE = 'keep what they use, and add beside it; or give the new one another name'

function showReasons(out: World['out'], { broken }: AgentDrift, capability: string): void {
  const { dim } = paintFor(out)
  const reasons = broken.filter(one => one.capability === capability)
  const width = Math.max(0, ...reasons.map(({ flows }) => String(flows).length))
  for (const { flows, reason } of reasons) {
    const label = `${' '.repeat(2 * INDENT)}${String(flows).padStart(width)}  `
    const lines = wrap(printable(reason), Math.max(20, out.columns - label.length))
    out.write(`${dim(label)}${lines.join(`\n${' '.repeat(label.length)}`)}\n`)
  }
}

function fine({ flows, changed }: AgentDrift): string {
  if (flows === 0) return 'no flow orders from it yet'
  return changed.length === 0 ? 'nothing changes for them' : 'all of them can be run as they are'
}

function bad(affected: number, examined: number): string {
  return `${affected} of ${many(examined, 'flow')} that were checked could not be run any more`
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
