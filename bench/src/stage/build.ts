import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A checkout that is built: where our programs are started from. */
export interface Build {
  /** In tables and logs. */
  readonly name: string
  readonly root: string
}

/** The checkout that this bench belongs to. */
export const CURRENT: Build = {
  name: 'farebox',
  root: fileURLToPath(new URL('../../..', import.meta.url)),
}

/** The programs we ship, as a checkout has built them. */
export function programsOf({ root }: Build): { readonly farebox: string; readonly facilitator: string } {
  return {
    farebox: join(root, 'packages/farebox/bundle/bin.js'),
    facilitator: join(root, 'packages/facilitator/dist/program/main.js'),
  }
}

/** The agent of every scene; both builds of a comparison run the same one. */
export const AGENT_CONFIG = join(CURRENT.root, 'bench/agent/agent.json')
