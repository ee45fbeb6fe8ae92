import type { Flow } from '@farebox/flows/document/flow'
import { MAX_FLOW_CHARACTERS } from '@farebox/flows/internal/document/flow-limits'
import { readFlow } from '@farebox/flows/document/read-flow'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/printable.ts'
import { readForeignText } from '../../terminal/read-foreign-text.ts'
import type { World } from '../../world.ts'

const SHOWN_PROBLEMS = 5

/**
 * The flow in a file, or with `-` on the standard input.
 *
 * @throws {CommandError} where there is none
 */
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
