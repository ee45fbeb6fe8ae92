import { PLAIN, type Paint } from '../paint.ts'
import { placeInFile, writeProblem, type ConfigError } from './config-error.ts'
import { shownText, textWidth } from './shown-text.ts'
import type { Excerpt } from './text-places.ts'

/** A longer list of problems is not useful, because they are not fixed all at once. */
const MAX_SHOWN = 20

/**
 * Formats a {@link ConfigError} for people: for each problem its place, the reason, the line with the fault underlined,
 * and the fix. Ends with a line break. Only visible characters of the file reach the terminal.
 *
 * @example
 * // ✗ agent.json:14:19  capabilities.count.pricing.amount: must be a decimal like "0.01", got "0,01"
 * //     14 │       "pricing": { "model": "per_job", "amount": "0,01", "currency": "USDC" },
 * //        │                                                  ^^^^^^
 * //     write "0.01"
 */
export function explainConfigError(error: ConfigError, paint: Paint = PLAIN): string {
  const { problems } = error
  const cross = paint.red('✗')
  const blocks = problems.slice(0, MAX_SHOWN).map((_, index) => explain(error, index, paint))
  const [only] = blocks
  if (only !== undefined && problems.length === 1) return `${cross} ${only}`
  const name = placeInFile({ file: error.file, path: '', reason: '', fix: '' })
  const more = problems.length - blocks.length
  return [
    `${cross} ${name} has ${problems.length} problems\n`,
    ...blocks.map(block => `  ${block}`),
    ...(more > 0 ? [`  … and ${more} more\n`] : []),
  ].join('\n')
}

function explain({ problems, excerpts }: ConfigError, index: number, paint: Paint): string {
  const problem = problems[index]
  if (problem === undefined) return ''
  // When several problems are at the same place, such as five missing keys of one object, the line is shown once.
  const isSamePlace = index > 0 && placeInFile(problem) === placeInFile(problems[index - 1] ?? problem)
  const excerpt = excerpts[index]
  const lines = excerpt === undefined || isSamePlace ? [] : drawExcerpt(problem.line ?? 1, excerpt, paint)
  const indent = ' '.repeat(lines.length > 0 || isSamePlace ? 4 : 2)
  const title = `${paint.bold(placeInFile(problem))}  ${writeProblem(problem)}\n`
  return title + [...lines, shownText(problem.fix)].map(line => `${indent}${line}\n`).join('')
}

/** The line with carets below the fault; no lines for an empty line. */
function drawExcerpt(line: number, excerpt: Excerpt, paint: Paint): readonly string[] {
  const [before, marked, after] = [
    shownText(excerpt.before),
    shownText(excerpt.marked),
    shownText(excerpt.after),
  ]
  const text = (before + marked + after).trimEnd()
  if (text === '') return []
  const number = String(line)
  const carets = ' '.repeat(textWidth(before)) + paint.red('^'.repeat(Math.max(1, textWidth(marked))))
  return [`${paint.dim(`${number} │`)} ${text}`, `${paint.dim(`${' '.repeat(number.length)} │`)} ${carets}`]
}
