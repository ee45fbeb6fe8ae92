import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { CommandError, EXIT, type ExitCode } from '../../command-error.ts'
import { asTyped, printableJson } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { RunFailure } from './explain-run.ts'

/** What `--json` says of a run that has come to its end. */
export function resultDocument(run: RunProgress): object {
  return { ok: true, ...sums(run), output: run.output, steps: run.steps }
}

/**
 * Runs a command about a run. With `--json` the output holds one document whatever happens.
 *
 * @throws {CommandError} what a person reads
 */
export async function withRunDocument(
  world: World,
  { json }: { readonly json?: true },
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work()
  } catch (error) {
    const stopped = new CommandError('stopped', 'nothing was sent', {
      cause: error,
      exitCode: EXIT.interrupted,
    })
    const told = world.signal.aborted && !(error instanceof CommandError) ? stopped : error
    if (json === true) world.out.write(`${printableJson(failureDocument(world, told))}\n`)
    throw told
  }
}

/** What `--json` says of one that was not begun, or waits. */
function failureDocument(world: World, error: unknown): object {
  const message = error instanceof Error ? error.message : String(error)
  const next = error instanceof CommandError && error.next !== '' ? { next: asTyped(world, error.next) } : {}
  if (!(error instanceof RunFailure)) return { ok: false, error: { type: typeOf(error), message, ...next } }
  const { runId, run, type } = error
  return {
    ok: false,
    run_id: runId,
    error: { type, message, ...next },
    ...(run !== undefined && { ...sums(run), waiting: run.waiting, steps: run.steps }),
  }
}

function typeOf(error: unknown): string {
  if (!(error instanceof CommandError)) return 'internal'
  return error.exitCode === EXIT.interrupted ? 'stopped' : 'refused'
}

function sums({ run_id, status, paid, exposed, exposed_until }: RunProgress): object {
  return { run_id, status, paid, exposed, exposed_until }
}
