import { areaOf, type Check, isForUnknownAgent, listChecks } from '@farebox/conformance/agent'
import { paintFor } from '../terminal/paint.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'
import type { RawCheckOptions } from './check-options.ts'

/** `farebox check --list`: every area with its checks and their rules. */
export function listAreas({ out }: World, options: Pick<RawCheckOptions, 'json' | 'only'>): void {
  const checks = listChecks().filter(
    check =>
      isForUnknownAgent(check) &&
      (options.only === undefined || options.only.some(one => one === check.id || one === areaOf(check))),
  )
  if (options.json === true) return out.write(`${printableJson(checks.map(describeCheck))}\n`)
  const { bold, dim } = paintFor(out)
  for (const area of new Set(checks.map(areaOf))) {
    const own = checks.filter(check => areaOf(check) === area)
    out.write(`${bold(area)}  ${dim(`${own.length} ${own.length === 1 ? 'check' : 'checks'}`)}\n`)
    for (const { title, rules } of own) out.write(`  ${title}  ${dim(rules.join(', '))}\n`)
    out.write('\n')
  }
}

function describeCheck(check: Check): object {
  const { id, rules, title, fix, needs } = check
  return { id, area: areaOf(check), rules, title, fix, modes: needs.modes, needsPaid: needs.payer }
}
