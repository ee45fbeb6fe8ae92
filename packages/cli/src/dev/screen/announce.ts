import { printable } from '@farebox/conformance/internal/printable'
import type { Screen, World } from '../../world.ts'
import { asTyped, cut, paintFor } from '../../terminal/text.ts'
import type { TypeProblem } from './check-types.ts'
import type { Description } from '../messages/messages.ts'

/** Announces on the world's output, in the form that the agent's own log has (`SERVICE_LOG`, D27). */
export function createAnnouncer(world: World, format: () => 'text' | 'json'): Announcer {
  const text = announceAsText(world)
  const json = announceAsJson(world)
  return announceToAll(() => [format() === 'json' ? json : text])
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

/** Messages while an agent is developed: for a person, or as one JSON object a line. */
export interface Announcer {
  /** A version that looks another than the one before; with the first one goes what to try next. */
  serving(description: Description, isFirst: boolean): void
  restarted(restart: Restart): void
  refused(reason: string, stillServing: boolean): void
  /** Something happened to the agent's process; and what is done about it. */
  trouble(reason: string, next: string): void
  /** The type errors there are now; none once those that were reported are fixed. */
  types(problems: readonly TypeProblem[]): void
  line(line: string, from: 'out' | 'err'): void
  trace(lines: readonly string[]): void
  /** Anything else worth a line. */
  note(text: string): void
}

export interface Restart {
  /** Relative to where the command was called; empty where nothing changed but the process. */
  readonly files: readonly string[]
  readonly tookMs: number
  readonly isRecovered: boolean
}

/** The same as one JSON object a line, as the agent's log has it with `SERVICE_LOG=json`. */
function announceAsJson({ out, err }: World): Announcer {
  const say = (level: 'info' | 'warn', event: string, fields: object): void =>
    out.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  return {
    serving({ name, url, mode, sampled, page }) {
      say('info', 'listening', { name, url, mode, ...(page !== undefined && { page }) })
      if (sampled.length > 0)
        say('warn', 'answers are samples, there are no handlers', { capabilities: sampled })
    },
    restarted: ({ files, tookMs }) => say('info', 'restarted', { changed: files, ms: tookMs }),
    refused: (reason, stillServing) => say('warn', 'not served', { reason, stillServing }),
    trouble: (reason, next) => say('warn', 'trouble', { reason, next }),
    types: problems =>
      problems.length === 0
        ? say('info', 'types ok', {})
        : say('warn', 'type errors', { problems: problems.map(one => ({ ...one })) }),
    line: (line, from) => (from === 'out' ? out : err).write(`${line}\n`),
    // The events it is made of are in the log already.
    trace: () => undefined,
    note: text => say('info', text, {}),
  }
}

/** Writes each message to several screens, in their order; the list is read again for each message. */
export function announceToAll(screens: () => readonly Announcer[]): Announcer {
  const each = (tell: (screen: Announcer) => void): void => {
    for (const screen of screens()) tell(screen)
  }
  return {
    serving: (description, isFirst) => each(screen => screen.serving(description, isFirst)),
    restarted: restart => each(screen => screen.restarted(restart)),
    refused: (reason, stillServing) => each(screen => screen.refused(reason, stillServing)),
    trouble: (reason, next) => each(screen => screen.trouble(reason, next)),
    types: problems => each(screen => screen.types(problems)),
    line: (line, from) => each(screen => screen.line(line, from)),
    trace: lines => each(screen => screen.trace(lines)),
    note: text => each(screen => screen.note(text)),
  }
}

/** More are counted. */
const MAX_LISTED = 3

/** What changed and what became of it: `agent.json changed`, `restarted in 140 ms`. */
export function describeChange({ files, tookMs, isRecovered }: Restart): {
  readonly what: string
  readonly done: string
} {
  return {
    what: files.length === 0 ? 'new process' : `${listed(files)} changed`,
    done: `${isRecovered ? 'serving again in' : 'restarted in'} ${tookMs} ms`,
  }
}

export function describeRest(stillServing: boolean): string {
  return stillServing
    ? 'still serving the last good version'
    : 'nothing is served: it is tried again at the next save'
}

function listed(files: readonly string[]): string {
  if (files.length <= MAX_LISTED) return files.join(', ')
  return `${files.slice(0, MAX_LISTED - 1).join(', ')} and ${files.length - MAX_LISTED + 1} more`
}
