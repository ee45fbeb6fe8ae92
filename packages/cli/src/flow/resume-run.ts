import type { ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'
import { findRun } from './find-run.ts'
import { withRunDocument } from './run/run-documents.ts'
import type { RawRunOptions } from './run/run-options.ts'
import { takeUpRun } from './run/take-up-run.ts'

/**
 * `farebox flow resume`: takes up a run where it was left, and follows it to its end.
 *
 * @param named its id or the beginning of it; undefined: the newest that was started here and has not ended
 */
export async function resume(world: World, named: string | undefined, raw: RawRunOptions): Promise<ExitCode> {
  return await withRunDocument(world, raw, async () => {
    return await takeUpRun(world, await findRun(world, named, raw.platform), raw)
  })
}
