import { createProject, type Project, type RunningCli } from './dev-process.ts'

/** A project that shouts, and the `farebox dev` that serves it. */
export interface ShoutStage {
  readonly project: Project
  readonly dev: RunningCli
  readonly url: string
}

const CONFIG = {
  service_version: '1.0',
  name: 'Shout',
  description: 'Says it louder.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 60,
  capabilities: {
    shout: {
      description: 'The text, louder.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true, examples: ['hello'] } },
      output_schema: { text: { type: 'string' } },
    },
  },
}

/** The text of `agent.json`, with other keys in place of its own. */
export function shoutConfig(changes: object = {}): string {
  return `${JSON.stringify({ ...CONFIG, ...changes }, null, 2)}\n`
}

/** The one capability, to declare others like it. */
export const SHOUT = CONFIG.capabilities.shout

/** Handlers that return their version, and act on the text; `wait` ends when a file `go` exists. */
export function shoutHandlers(version: string, more = ''): string {
  return `
import { existsSync } from 'node:fs'
import { mark } from './lib/mark.ts'
${more}
export default async ({ text }: { text: string }): Promise<{ text: string }> => {
  if (text === 'wait') while (!existsSync('go')) await new Promise(resolve => setTimeout(resolve, 10))
  if (text === 'stray') setTimeout(() => { throw new Error('left behind') }, 5)
  if (text === 'exit') process.exit(3)
  if (text === 'block') for (console.log('blocking'); ;);
  if (text === 'variables') return { text: process.env['GREETING'] + ' ' + process.env['FIXED'] }
  if (text === 'pid') return { text: String(process.pid) }
  return { text: text + mark + '${version}' }
}
`
}

/** Creates the project, with these additional files, and waits until it is served. */
export async function stageShout(
  files: { readonly [name: string]: string },
  options: { readonly variables?: NodeJS.ProcessEnv; readonly words?: readonly string[] } = {},
): Promise<ShoutStage> {
  const project = await createProject({
    'agent.json': shoutConfig(),
    'lib/mark.ts': "export const mark = '-'\n",
    ...files,
  })
  const dev = project.run(['dev', '--port', '0', ...(options.words ?? [])], options.variables)
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await dev.says(/http:\/\/127\.0\.0\.1:\d+.*\n/)) ?? []
  return { project, dev, url }
}

/** Sends one job; rejects if the connection ends without an answer. */
export async function shout(
  url: string,
  text: string,
  withinSeconds = 20,
): Promise<{ readonly status: number; readonly text: unknown }> {
  const response = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      service_version: '1.0',
      job_id: crypto.randomUUID(),
      task: { input: { text } },
      deadline: Date.now() / 1_000 + withinSeconds,
    }),
  })
  const body = (await response.json()) as { readonly output?: { readonly text: unknown } }
  return { status: response.status, text: body.output?.text }
}
