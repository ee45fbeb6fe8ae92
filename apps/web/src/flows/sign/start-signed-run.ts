import type { RunPayment } from '@farebox/platform-api/flows/runs'
import type { KeptRun } from '../../kept/kept-run.ts'
import { keepRun, removeRun } from '../../kept/run-store.ts'
import type { Ask } from '../../site/ask.ts'
import { sendKeptRun } from '../runs/send-run.ts'

/** A run with the payments signed for its start. */
export type SignedRun = Pick<
  KeptRun,
  'flow' | 'flow_id' | 'draft_id' | 'input' | 'max_total' | 'payer' | 'wallet'
> & { readonly payments: readonly RunPayment[] }

/**
 * Starts a run: stores it in this browser, then sends it until it is answered. Resolves to its id. Rejects with the
 * platform's message when the platform refuses; nothing has then been started.
 *
 * @param written called once the run is stored, after which closing the page loses nothing
 */
export async function startSignedRun(
  ask: Ask,
  { payments, ...wanted }: SignedRun,
  written: (runId: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const runId = crypto.randomUUID()
  const run: KeptRun = {
    ...wanted,
    run_id: runId,
    run_token: makeToken(),
    unsent: payments,
    is_started: false,
    created_at: Date.now() / 1_000,
  }
  await keepRun(run)
  written(runId)
  const { failure } = await sendKeptRun(ask, runId, () => undefined, signal)
  if (failure === undefined) return runId
  await removeRun(runId)
  throw failure
}

/** 32 random bytes in base64url. */
function makeToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
