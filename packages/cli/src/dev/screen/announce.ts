import type { Screen, World } from '../../world.ts'
import { paintFor } from '../../terminal/paint.ts'
import { printable } from '../../terminal/printable.ts'
import { announceAsJson } from './announce-json.ts'
import { cut } from '../messages/describe-agent.ts'
import type { Announcer } from './announcer.ts'
import { describeChange, describeRest } from './describe-change.ts'
import { asTyped } from '../../terminal/as-typed.ts'

/** Announces on the world's output, in the form that the agent's own log has (`SERVICE_LOG`, D27). */
export function createAnnouncer(world: World, format: () => 'text' | 'json'): Announcer {
  const text = announceAsText(world)
  const json = announceAsJson(world)
  const now = (): Announcer => (format() === 'json' ? json : text)
  return {
    serving: (description, isFirst) => now().serving(description, isFirst),
    restarted: restart => now().restarted(restart),
    refused: (reason, stillServing) => now().refused(reason, stillServing),
    trouble: (reason, next) => now().trouble(reason, next),
    types: problems => now().types(problems),
    line: (line, from) => now().line(line, from),
    trace: lines => now().trace(lines),
    note: what => now().note(what),
  }
}

/** Characters that a line may have: as many as it likes where nobody's screen is that wide or narrow. */
export function columnsOf(screen: Screen): number {
  return screen.live ? screen.columns : UNBOUNDED_COLUMNS
}

const UNBOUNDED_COLUMNS = 10_000

function announceAsText(world: World): Announcer {
  const { out, err } = world
  const paint = paintFor(out)
  const say = (...lines: readonly string[]): void => out.write(`${lines.join('\n')}\n`)
  return {
    serving({ name, url, mode, lines, samples, next }, isFirst) {
      say(`${paint.bold(printable(name))}   ${paint.cyan(url)}   ${mode}`, ...lines)
      if (samples.length > 0) say('', ...samples)
      if (isFirst) say('', paint.dim('  try it'), ...next.map(line => `    ${asTyped(world, line)}`))
      say('')
    },
    restarted(restart) {
      const { what, done } = describeChange(restart)
      say(`${paint.green(printable(what))} → ${done}`)
    },
    refused: (reason, stillServing) =>
      say(`${paint.red('✗')} ${reason}`, paint.dim(`  ${describeRest(stillServing)}`)),
    trouble: (reason, next) => say(`${paint.red('✗')} ${reason}`, paint.dim(`  ${next}`)),
    types(problems) {
      if (problems.length === 0) return say(paint.green('types ok'))
      const shown = problems.slice(0, MAX_TYPE_PROBLEMS).flatMap(({ file, line, column, reasons }) => {
        const [first = '', ...more] = reasons
        // The last sentence is the one about the very value that is wrong.
        const last = more.at(-1)
        const head = `${paint.yellow('!')} ${paint.bold(printable(`${file}:${line}:${column}`))}`
        const lines = last === undefined ? [first] : [last, first]
        return [head, ...lines.map(text => `    ${cut(printable(text), columnsOf(out) - 4)}`)]
      })
      const rest = problems.length - MAX_TYPE_PROBLEMS
      const count = problems.length === 1 ? 'a type error' : `${problems.length} type errors`
      say(
        ...shown,
        ...(rest > 0 ? [`    … ${rest} more: npx tsc --noEmit`] : []),
        paint.dim(`  ${count}; served all the same`),
      )
    },
    line(line, from) {
      const screen = from === 'out' ? out : err
      screen.write(`${painted(line)}\n`)
    },
    trace: lines => {
      if (lines.length > 0) say(...lines)
    },
    note: text => say(paint.dim(cut(printable(text), columnsOf(out)))),
  }

  function painted(line: string): string {
    if (out.live) {
      const [, problem, job] = WRONG_OUTPUT.exec(line) ?? []
      if (problem !== undefined)
        return [
          `${paint.yellow(paint.bold('! wrong output'))}  ${paint.bold(problem)} ${paint.dim(job ?? '')}`,
          '    answered 200 in dev mode alone: production answers 500 and is not paid',
          '    return what output_schema declares, or change output_schema in agent.json',
        ].join('\n')
    }
    if (line.startsWith('warning: ')) return paint.yellow(line)
    return line.startsWith('handler error: ') ? paint.red(line) : line
  }
}

/** As the runtime says it in dev mode: it is one line of several about a job, and the one that matters. */
const WRONG_OUTPUT =
  /^warning: output does not match output_schema: (.*); production answers 500 and is not paid(?: (job=\S+))?$/

/** More are counted: the first is where one begins. */
const MAX_TYPE_PROBLEMS = 3
