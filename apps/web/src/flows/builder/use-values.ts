import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { FlowEditor } from '../editor/flow-editor.ts'
import { valuesOfDryRun, valuesOfRun } from './show-values.ts'
import { useRead } from '../../site/question.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'

/** Values at the ports: those of a requested dry run, or those of the past run that the address names. */
export function useValues(
  { ask, live, values }: FlowEditor,
  run: { readonly id: string; readonly flowId: string } | undefined,
  /** Reads the input of the flow's last run, or the sample of a template. */
  readInput: () => Promise<JsonObject | undefined>,
): { readonly dryRun: () => void; readonly failure: unknown } {
  const flowId = run?.flowId ?? ''
  const { failure: unread } = useRead(run && `${run.id} ${flowId}`, async signal => {
    if (run === undefined) return undefined
    const read = await readKeptRun(ask, run.id, signal)
    signal.throwIfAborted()
    values.set(valuesOfRun(read, flowId))
    return true
  })
  const playing = useAction(async () => {
    const { dryRun: playFlow } = await import('@farebox/flows/run/dry-run')
    const { graph } = live.read()
    const given = await readInput().catch(() => undefined)
    const own = given === undefined || Object.keys(given).length === 0 ? undefined : playFlow(graph, given)
    // If the inputs of the flow have changed since, a sample input is generated.
    const played = own?.ok === true ? own : playFlow(graph)
    if (!played.ok) throw new Error(`No sample input could be created: ${played.reason}`)
    values.set(valuesOfDryRun(played))
  })
  return { dryRun: playing.act, failure: playing.state === 'failed' ? playing.error : unread }
}

/** Reads a run with the token that this browser keeps, or with the session of its payer. */
async function readKeptRun(ask: FlowEditor['ask'], runId: string, signal: AbortSignal): Promise<RunAnswer> {
  const { readKeptRun: readKept } = await import('../../kept/run-store.ts')
  const kept = await readKept(runId).catch(() => undefined)
  const token = kept?.run_token
  return await ask(`/v1/runs/${encodeURIComponent(runId)}`, answers.run, {
    signal,
    ...(token !== undefined && { headers: { 'run-token': token } }),
  })
}
