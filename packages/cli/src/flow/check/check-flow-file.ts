import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { flowChecked, type FlowChecked } from '@farebox/platform-api/flows/flow-check'
import { EXIT, type ExitCode } from '../../command-error.ts'
import { createAskPlatform } from '../../register/platform/ask-platform.ts'
import { findPlatform } from '../../register/platform/find-platform.ts'
import { printableJson } from '../../terminal/printable-json.ts'
import type { World } from '../../world.ts'
import { readFlowFile } from './read-flow-file.ts'
import { showFlowCheck } from './show-flow-check.ts'

/** What commander made of the words of `farebox flow check`; nothing in it is checked yet. */
export interface RawFlowCheckOptions {
  readonly offline?: true
  readonly payer?: string
  readonly platform?: string
  readonly json?: true
}

/**
 * `farebox flow check`. Exit code 1 where the flow cannot be run as it is.
 *
 * @throws {CommandError} where the file has no flow in it, or the platform does not answer
 */
export async function checkFlowFile(world: World, file: string, raw: RawFlowCheckOptions): Promise<ExitCode> {
  const flow = await readFlowFile(world, file)
  // By the same code, and written as JSON the same.
  const checked =
    raw.offline === true ? flowChecked.parse(checkFlow(flow)) : await askPlatform(world, flow, raw)
  if (raw.json === true) world.out.write(`${printableJson(checked)}\n`)
  else showFlowCheck(world, flow, checked)
  return checked.ok ? EXIT.done : EXIT.refused
}

async function askPlatform(world: World, flow: Flow, raw: RawFlowCheckOptions): Promise<FlowChecked> {
  const { url } = await findPlatform(world, raw.platform)
  return await askForCheck(world, url, flow, raw.payer)
}

/** What the platform says of a flow. */
export async function askForCheck(
  world: World,
  url: string,
  flow: Flow,
  payer: string | undefined,
): Promise<FlowChecked> {
  const ask = createAskPlatform(url, world.signal)
  const body = { flow, ...(payer !== undefined && { payer }) }
  return await ask({ path: '/v1/flows/check', body, schema: flowChecked })
}
