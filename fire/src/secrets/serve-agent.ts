import { startChild } from '@farebox/local/src/processes/child-process'
import { fareboxProgram } from '@farebox/local/src/programs'
import type { Stage } from '../../../e2e/stage/stage.ts'

/** An agent that serves. */
export interface ServingAgent {
  readonly url: string
}

/** Starts `farebox start`, whichever way it logs. */
export async function serveAgent(
  stage: Stage,
  config: string,
  environment: { readonly [name: string]: string },
): Promise<ServingAgent> {
  const child = await startChild({
    command: process.execPath,
    arguments: [fareboxProgram(), 'start', '--config', config, '--host', '127.0.0.1', '--port', '0'],
    environment: {
      PATH: process.env['PATH'] ?? '',
      SERVICE_NETWORK: `eip155:${stage.chain.chainId}`,
      ...environment,
    },
    readReady: line => /(http:\/\/localhost:\d+)/.exec(line)?.[1],
  })
  stage.onStrike(() => child.stop())
  return { url: child.ready.replace('localhost', '127.0.0.1') }
}
