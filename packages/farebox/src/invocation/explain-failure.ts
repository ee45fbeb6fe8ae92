import { EnvironmentError, type EnvironmentProblem } from '../environment/environment-error.ts'
import { explainConfigError } from '../config/explain-config-error.ts'
import { HandlersError } from '../loading/load-handlers.ts'
import { ConfigError } from '../config/read-config.ts'
import { ExplainedError } from '../explained-error.ts'
import { MismatchedHandlers } from '../handlers.ts'
import { PLAIN, type Paint } from '../paint.ts'
import { DeclarationError } from '../agent/serve-declaration.ts'
import { StartRefused } from './start-refused.ts'
import { UsageError } from './usage-error.ts'

/**
 * Formats an error for people: the problem, then the fix. A stack is shown only for unexpected errors. Ends with a line
 * break.
 */
export function explainFailure(error: unknown, paint: Paint = PLAIN): string {
  const cross = paint.red('✗')
  if (error instanceof StartRefused) return error.errors.map(one => explainFailure(one, paint)).join('')
  if (error instanceof EnvironmentError) return explainEnvironment(error, paint)
  if (error instanceof ConfigError) return explainConfigError(error, paint)
  if (error instanceof HandlersError && error.details.length > 0)
    return `${cross} ${error.message}\n${indented([...error.details, error.hint], 4)}`
  if (error instanceof ExplainedError) return `${cross} ${error.message}\n${indented([error.hint])}`
  if (error instanceof DeclarationError || error instanceof MismatchedHandlers)
    return `${cross} ${error.message}\n`
  // An error of the job store itself, thrown when it is opened.
  if (error instanceof Error && error.message.startsWith('SERVICE_STORE'))
    return `${cross} cannot start: ${error.message}\n${indented([STORES])}`
  return `${cross} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
}

const STORES = 'set SERVICE_STORE to lmdb:<folder> on a disk of this machine, or to redis://host:port'

/** 2 for invalid arguments, otherwise 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1
}

function explainEnvironment({ problems }: EnvironmentError, paint: Paint): string {
  const [first, second] = problems
  const start = `${paint.red('✗')} cannot start:`
  if (second === undefined) return `${start} ${first.variable} ${first.problem}\n${indented([first.hint])}`
  const width = Math.max(...problems.map(({ variable }) => variable.length))
  const rows = problems.map(problem => explainVariable(problem, width, paint))
  return `${start} ${problems.length} variables are missing or wrong\n${indented(rows.flat())}`
}

/** The name in one column, the problem beside it, and the fix below the problem. */
function explainVariable(
  { variable, problem, hint }: EnvironmentProblem,
  width: number,
  paint: Paint,
): string[] {
  return [
    `${paint.bold(variable)}${' '.repeat(width - variable.length)}  ${problem}`,
    `${' '.repeat(width)}  ${paint.dim(hint)}`,
  ]
}

function indented(lines: readonly string[], by = 2): string {
  return lines.map(line => (line === '' ? '' : `${line.replace(/^/gm, ' '.repeat(by))}\n`)).join('')
}
