import type { Economy } from '@farebox/local/economy'
import { DEFAULT_FOLDER, shellWord } from '../../../scripts/start-flags.mjs'
import { FIRST_JOBS } from './first-jobs.ts'
import { permitSteps } from './permit-steps.ts'

/** Suggested next steps: commands that can be pasted into another terminal unchanged. */
export function nextSteps(
  { agents, facilitator, platform, chain, rpcUrl }: Economy,
  folder: string,
): readonly string[] {
  const [first] = agents
  if (first === undefined) return []
  const capability =
    FIRST_JOBS[first.declaration.name]?.capability ?? Object.keys(first.declaration.capabilities)[0] ?? ''
  // The commands look for `.farebox`; another folder has to be passed to them.
  const here = folder === DEFAULT_FOLDER ? '' : `FAREBOX_LOCAL=${shellWord(folder)} `
  return [
    '',
    ...(platform === undefined
      ? []
      : [
          `  Open ${platform.url}`,
          '  Find an agent and pay it a job in your browser: a test wallet with test USDC is ready.',
          '',
        ]),
    '  Or in another terminal',
    '',
    `    curl -s ${first.url}/about`,
    `    curl -si ${first.url}/execute -H 'content-type: application/json' -d '{"task":{"capability":"${capability}"}}'`,
    `    ${here}npx farebox call ${first.url} ${capability} --text "hello world"`,
    '',
    ...agents.flatMap(agent => permitSteps(agent, here)),
    ...agents.map(
      ({ declaration, url }) =>
        `  ${declaration.name.padEnd(17)} ${url}   ${Object.keys(declaration.capabilities).join(', ')}`,
    ),
    ...(platform === undefined
      ? []
      : [`  ${'Platform'.padEnd(17)} ${platform.url}   its API: ${platform.url}/v1`]),
    `  ${'Facilitator'.padEnd(17)} ${facilitator.url}`,
    `  ${'Chain'.padEnd(17)} ${rpcUrl}   eip155:${chain.chainId}`,
    '',
    '  An agent of your own, found and paid here: docs/local-economy.md',
    `  Addresses and test keys: ${folder}/local.json        stop with Ctrl-C, state is kept in ${folder}/`,
  ]
}
