import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A built checkout, from which our programs are started. */
export interface Build {
  /** The name in tables and logs. */
  readonly name: string
  readonly root: string
}

/** The checkout of this bench. */
export const CURRENT: Build = {
  name: 'farebox',
  root: fileURLToPath(new URL('../../..', import.meta.url)),
}

/** The shipped programs, as built in a checkout. */
export function programsOf({ root }: Build): { readonly farebox: string; readonly facilitator: string } {
  return {
    farebox: join(root, 'packages/farebox/bundle/bin.js'),
    facilitator: join(root, 'packages/facilitator/dist/program/main.js'),
  }
}

/** The agent of every scene; both builds of a comparison run the same one. */
export const AGENT_CONFIG = join(CURRENT.root, 'bench/agent/agent.json')
