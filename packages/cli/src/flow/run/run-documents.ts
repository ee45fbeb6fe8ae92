import type { RunProgress } from '@farebox/platform-api/flows/runs'
import type { ExitCode } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { RunFailure } from './explain-run.ts'
import { answerWithJson, failureDocument, failureType, orStopped } from '../../terminal/run-with-json.ts'

/** What `--json` says of a run that has come to its end. */
export function resultDocument(run: RunProgress): object {
  return { ok: true, ...sums(run), output: run.output, steps: run.steps }
}

/** Runs a command about a run. With `--json` the output holds one document whatever happens. */
export async function withRunDocument(
  world: World,
  raw: { readonly json?: true },
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const inWords = (error: unknown): unknown => orStopped(world, error, 'nothing was sent')
  return await answerWithJson(world, raw, work, { inWords, document: error => documentOf(world, error) })
}

/** What `--json` says of one that was not begun, or waits. */
function documentOf(world: World, error: unknown): object {
  if (!(error instanceof RunFailure)) return failureDocument(world, error, failureType(error))
  const { runId, run, type } = error
  return {
    ...failureDocument(world, error, type),
    run_id: runId,
    ...(run !== undefined && { ...sums(run), waiting: run.waiting, steps: run.steps }),
  }
}

function sums({ run_id, status, paid, exposed, exposed_until }: RunProgress): object {
  return { run_id, status, paid, exposed, exposed_until }
}
