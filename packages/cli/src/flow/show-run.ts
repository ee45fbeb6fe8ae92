import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { readRun } from '@farebox/client/control-run'
import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { RunAnswer, RunProgress } from '@farebox/platform-api/flows/runs'
import { systemClock } from '@farebox/protocol/time/clock'
import { EXIT, type ExitCode } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { findRun } from './find-run.ts'
import { explainRun, sumsOf, withRunDocument } from './run/explain-run.ts'
import { columnsFor, drawStep, stepLines } from './run/step-lines.ts'

export interface RawRunCommand {
  readonly platform?: string
  readonly json?: true
}

/**
 * `farebox flow show`: shows the steps of a run, its totals, its output, and what it waits for.
 *
 * @param named its id or the first characters of it; `undefined` selects the newest run started on this machine that has
 * not ended
 */
export async function showRun(
  world: World,
  named: string | undefined,
  raw: RawRunCommand,
): Promise<ExitCode> {
  return await withRunDocument(world, raw, async () => {
    const { handle } = await findRun(world, named, raw.platform)
    const run = await readRun(handle, { signal: world.signal }).catch((error: unknown) => {
      throw explainRun(world, error, handle.runId)
    })
    if (raw.json === true) world.out.write(`${printableJson(run)}\n`)
    else draw(world, run)
    return EXIT.done
  })
}

export function draw(world: World, run: RunAnswer): void {
  const { out } = world
  const { bold, dim } = paintFor(out)
  const read = readFlow(run.flow)
  const flow: Pick<Flow, 'name' | 'steps'> = read.ok ? read.flow : { name: 'A flow', steps: {} }
  const columns = columnsFor(flow)
  const lines = stepLines(flow, run).map(line => drawStep(out, columns, line))
  const [sums = ''] = sumsOf(run, systemClock.nowMs() / 1_000)
  out.write(
    [
      `${bold(printable(flow.name))}   ${run.status}   ${dim(`run ${run.run_id}`)}`,
      '',
      ...lines,
      '',
      `  ${sums} ${dim(`of ${printable(run.max_total)}`)}`,
      ...nextFor(run).map(next => `  ${dim(next)}`),
      ...(Object.keys(run.output).length === 0 ? [] : ['', printableJson(shorten(run.output), 2)]),
    ].join('\n') + '\n',
  )
}

const LONGEST_TEXT = 300

/** Shortens a value: a long text or a picture would scroll the table off the screen. `--json` contains the whole value. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT
      ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`
      : value
  if (Array.isArray(value)) return value.map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]))
}

/** Returns the commands that a person can run next for the run; empty when nothing has to be done. */
function nextFor({ run_id: runId, status, waiting }: RunProgress): readonly string[] {
  const id = runId.slice(0, 8)
  if (status === 'paused') return [`farebox flow resume ${id} goes on with it`]
  if (status === 'running') return [`farebox flow resume ${id} follows it`]
  if (status !== 'waiting') return []
  const asked = waiting.flatMap(one => (one.for === 'person' ? [one.step] : []))
  const answers = asked.map(step => `farebox flow answer ${id} ${printable(step)} --approve, or --decline`)
  if (waiting.some(one => one.for === 'retry'))
    return [...answers, `farebox flow resume ${id} asks for what failed again`]
  if (waiting.some(one => one.for === 'payment'))
    return [...answers, `farebox flow resume ${id} signs what it asks for`]
  return answers
}
