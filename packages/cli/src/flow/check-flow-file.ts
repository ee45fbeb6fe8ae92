import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { MAX_FLOW_CHARACTERS } from '@farebox/flows/internal/document/flow-limits'
import { readFlow } from '@farebox/flows/document/read-flow'
import { flowChecked, type FlowChecked } from '@farebox/platform-api/flows/flow-check'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { EXIT, CommandError, type ExitCode } from '../command-error.ts'
import { createAskPlatform } from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { printableJson } from '../terminal/printable-json.ts'
import { printable } from '../terminal/printable.ts'
import { readForeignText } from '../terminal/read-foreign-text.ts'
import type { World } from '../world.ts'
import { showFlowCheck } from './show-flow-check.ts'

/** What commander made of the words of `farebox flow check`; nothing in it is checked yet. */
export interface RawFlowCheckOptions {
  readonly offline?: true
  readonly payer?: string
  readonly platform?: string
  readonly json?: true
}

const SHOWN_PROBLEMS = 5

/**
 * `farebox flow check`. Exit code 1 where the flow cannot be run as it is.
 *
 * @throws {CommandError} where the file has no flow in it, or the platform does not answer
 */
export async function checkFlowFile(world: World, file: string, raw: RawFlowCheckOptions): Promise<ExitCode> {
  const text = await readForeignText(world, file, { what: 'the flow', maxBytes: 2 * MAX_FLOW_CHARACTERS })
  const flow = parseFlow(text)
  // By the same code, and written as JSON the same.
  const checked =
    raw.offline === true ? flowChecked.parse(checkFlow(flow)) : await askForCheck(world, flow, raw)
  if (raw.json === true) world.out.write(`${printableJson(checked)}\n`)
  else showFlowCheck(world, flow, checked)
  return checked.ok ? EXIT.done : EXIT.refused
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

async function askForCheck(world: World, flow: Flow, raw: RawFlowCheckOptions): Promise<FlowChecked> {
  const { url } = await findPlatform(world, raw.platform)
  const ask = createAskPlatform(url, world.signal)
  const { payer } = raw
  const body = { flow, ...(payer !== undefined && { payer }) }
  return await ask({ path: '/v1/flows/check', body, schema: flowChecked })
}
