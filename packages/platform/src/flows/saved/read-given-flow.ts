import type { KeptFlow } from '../../checking/flows/read-kept-flow.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuseBusy } from '../refuse-busy.ts'

/**
 * Reads a flow that somebody wants to be kept. What is wrong with it once it is one, is kept with it.
 *
 * @throws {Refusal} `validation` with field and reason, `unavailable`
 */
export async function readGivenFlow(
  { checker }: Pick<PlatformParts, 'checker'>,
  flow: unknown,
  address: string,
): Promise<KeptFlow> {
  const read = await checker.run('kept-flow', flow, `flows of ${address}`).catch(refuseBusy)
  if (!read.ok) throw new Refusal('validation', `flow: ${read.reason}`)
  return read.kept
}
