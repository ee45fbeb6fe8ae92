import { readFileSync } from 'node:fs'
import { runDeployCommand } from '@farebox/server/internal/deploy/run-deploy-command'
import type { DescribedProgram } from '@farebox/server/internal/program/show-help'
import { DEPLOY_SETTLER } from './deploy-settler.ts'
import { FACILITATOR_VARIABLES } from './variables.ts'

/** Two levels up from both `src` and `dist`. */
const MANIFEST = new URL('../../package.json', import.meta.url)

/** The program `farebox-facilitator`, as `--help` describes it. */
export function describeFacilitator(): DescribedProgram {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }
  return {
    name: 'farebox-facilitator',
    summary: 'verifies payments, holds them, settles them on the chain and proves them (x402)',
    version,
    commands: [
      {
        name: 'deploy-settler',
        summary: DEPLOY_SETTLER.summary,
        run: words => runDeployCommand(DEPLOY_SETTLER, words),
      },
    ],
    variables: FACILITATOR_VARIABLES,
    documentation: 'docs/operating-the-facilitator.md',
  }
}
