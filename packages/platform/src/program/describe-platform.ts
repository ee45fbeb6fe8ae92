import { readFileSync } from 'node:fs'
import { runDeployCommand } from '@farebox/server/internal/deploy/run-deploy-command'
import type { DescribedProgram } from '@farebox/server/internal/program/show-help'
import { DEPLOY_PERMISSIONS } from './deploy-permissions.ts'
import { DEPLOY_REGISTRY } from './deploy-registry.ts'
import { PLATFORM_VARIABLES } from './variables.ts'

/** The path is relative to this file and is the same from `src` and from `dist`. */
const MANIFEST = new URL('../../package.json', import.meta.url)

/** Describes the program `farebox-platform` for its `--help`. */
export function describePlatform(): DescribedProgram {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }
  return {
    name: 'farebox-platform',
    summary: 'registers agents, checks them, finds them, and sends them paid jobs',
    version,
    commands: [
      {
        name: 'deploy-registry',
        summary: DEPLOY_REGISTRY.summary,
        run: words => runDeployCommand(DEPLOY_REGISTRY, words),
      },
      {
        name: 'deploy-permissions',
        summary: DEPLOY_PERMISSIONS.summary,
        run: words => runDeployCommand(DEPLOY_PERMISSIONS, words),
      },
    ],
    variables: PLATFORM_VARIABLES,
    documentation: 'docs/operating-the-platform.md',
  }
}
