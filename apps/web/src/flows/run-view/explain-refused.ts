import { FLOW_INPUT, type Flow } from '@farebox/flows/document/flow'
import type { RunStepAnswer } from '@farebox/platform-api/flows/runs'
import { nameStop } from '../describe/name-stop.ts'

/**
 * How to keep a step from refusing its input again: names the source of the refused value and what to change there.
 * Undefined when the reason names no input that has a source.
 */
export function explainRefused(flow: Flow, { step, reason }: RunStepAnswer): string | undefined {
  const port = /^(?:item \d+: )?([A-Za-z_][\w-]*)[:.[]/.exec(reason ?? '')?.[1]
  const from = flow.wires.find(({ to }) => to.step === step && to.port === port)?.from
  if (port === undefined || from === undefined) return undefined
  if (from.step === FLOW_INPUT)
    return `“${port}” comes from the value you entered for “${from.port}”. Change it there.`
  const source = Object.hasOwn(flow.steps, from.step) ? flow.steps[from.step] : undefined
  const name = nameStop(flow, from.step)
  const came = `“${port}” came from “${from.port}” in ${name}`
  if (source?.kind !== 'job') return `${came}.`
  const isTooLong = /must be at most [\d,.]+ (?:characters?|items?)/.test(reason ?? '')
  const settings = Object.entries(source.pinned.input_schema)
    .filter(([, { type }]) => type === 'integer')
    .map(([setting]) => `“${setting}”`)
  if (!isTooLong) return `${came}. Give ${name} a different input.`
  return settings.length === 0
    ? `${came}. Give ${name} a shorter input.`
    : `${came}. Give ${name} a shorter input or a lower ${settings.slice(0, 2).join(' or ')}.`
}
