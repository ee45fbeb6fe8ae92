import type { PersonQuestion } from '@farebox/client/run/run-errors'
import { CommandError, EXIT } from '../../command-error.ts'
import { printable } from '../../terminal/printable.ts'
import { printableJson } from '../../terminal/printable-json.ts'
import type { World } from '../../world.ts'

const MOST_SHOWN = 2_000

/**
 * Shows what a step asks about, and has the person answer.
 *
 * @throws {CommandError} where they will not now: the run keeps waiting
 */
export async function answerOnScreen(
  world: World,
  { step, question, value }: PersonQuestion,
): Promise<boolean> {
  const text = typeof value === 'string' ? printable(value) : printableJson(value ?? null, 2)
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  world.err.write(`\n${shown.replace(/^/gm, '    ')}\n`)
  const answer = await world.ask.choose(question, [
    { value: 'approve', label: 'Approve' },
    { value: 'decline', label: 'Decline' },
    { value: 'later', label: 'Not now', hint: 'the run waits' },
  ])
  if (answer !== 'later') return answer === 'approve'
  throw new CommandError(`${printable(step)} waits for an answer`, 'farebox flow resume asks again', {
    exitCode: EXIT.unresolved,
  })
}
