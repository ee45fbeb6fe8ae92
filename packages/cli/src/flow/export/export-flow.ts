import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { resolve } from 'node:path'
import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { agentPage } from '@farebox/platform-api/agent'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { CommandError, EXIT, type ExitCode } from '../../command-error.ts'
import { fillTemplate } from '../../init/project/fill-template.ts'
import { projectFiles } from '../../init/project/project-files.ts'
import { readProjectVersions } from '../../init/project/project-versions.ts'
import { readableJson } from '../../init/project/readable-json.ts'
import { findConflicts, writeProject } from '../../init/project/write-project.ts'
import { createAskPlatform } from '../../register/platform/ask-platform.ts'
import { findPlatform } from '../../register/platform/find-platform.ts'
import { stringLiteral } from '../../types/source-text.ts'
import { typesOf } from '../../types/types-of.ts'
import type { World } from '../../world.ts'
import { readFlowFile } from '../check/check-flow-file.ts'
import { flowDeclaration } from './flow-declaration.ts'
import { type FlowNames, nameFlow } from './flow-names.ts'
import { type CodeParts, isExportable } from './step-code.ts'
import { CAPABILITY, writeHandlers } from './write-handlers.ts'

export interface RawFlowExportOptions {
  readonly agent: string
  readonly price?: string
  readonly offline?: true
  readonly platform?: string
  readonly json?: true
}

/**
 * `farebox flow export`: writes a flow as the project of an ordinary agent whose steps hire other agents. Never overwrites
 * a file.
 */
export async function exportFlow(world: World, file: string, raw: RawFlowExportOptions): Promise<ExitCode> {
  const flow = await readFlowFile(world, file)
  refuseFlow(flow)
  const graph = buildGraph(flow)
  const parts = { graph, names: nameFlow(flow) }
  const declaration = flowDeclaration(graph, raw.price)
  const endpoints = raw.offline === true ? new Map() : await findEndpoints(world, flow, raw.platform)
  const files = await filesOf(parts, declaration, endpoints)
  const folder = resolve(world.folder, raw.agent)
  const conflicts = await findConflicts(
    folder,
    files.map(({ path }) => path),
  )
  if (conflicts.length > 0)
    throw new CommandError(
      `${printable(folder)} has ${conflicts.map(({ path }) => path).join(', ')} already`,
      'name a folder that is empty, or not there yet',
    )
  await writeProject(folder, files, { replace: [], signal: world.signal })
  const price = declaration.capabilities[CAPABILITY]?.pricing.amount ?? ''
  if (raw.json === true)
    world.out.write(`${printableJson({ ok: true, folder, price, files: files.map(({ path }) => path) })}\n`)
  else
    world.out.write(
      `✓ ${printable(raw.agent)} written: an agent for ${price} USDC a job\n\n` +
        `  cd ${printable(raw.agent)} && npm install\n  look at handlers.ts and agents.ts, then npx farebox dev\n`,
    )
  return EXIT.done
}

function refuseFlow(flow: Flow): void {
  const [waits] = Object.entries(flow.steps).filter(([, step]) => !isExportable(step))
  if (waits !== undefined)
    throw new CommandError(
      `the step ${printable(waits[0])} waits for ${waits[1].kind === 'approval' ? 'a person' : 'a time'}`,
      'a job of an agent ends within its deadline: take the step out',
    )
  const checked = checkFlow(flow)
  if (!checked.ok)
    throw new CommandError('the flow cannot be run as it is', 'farebox flow check <file> says what is wrong')
}

async function findEndpoints(
  world: World,
  flow: Flow,
  platform: string | undefined,
): Promise<ReadonlyMap<number, string>> {
  const { url } = await findPlatform(world, platform)
  const ask = createAskPlatform(url, world.signal)
  const ids = new Set(Object.values(flow.steps).flatMap(step => (step.kind === 'job' ? [step.agent_id] : [])))
  const found = await Promise.all(
    [...ids].map(
      async id => [id, (await ask({ path: `/v1/agents/${id}`, schema: agentPage })).endpoint] as const,
    ),
  )
  return new Map(found.flatMap(([id, endpoint]) => (endpoint === null ? [] : [[id, endpoint] as const])))
}

async function filesOf(
  parts: CodeParts,
  declaration: Declaration,
  endpoints: ReadonlyMap<number, string>,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const versions = await readProjectVersions()
  const { name, description } = declaration
  const agent = { name, description, capability: CAPABILITY, does: description, price: '0.001' }
  const files = await projectFiles(agent, versions)
  const written: { readonly [path: string]: string } = {
    'agent.json': readableJson({ $schema: './node_modules/farebox/agent.schema.json', ...declaration }),
    'agent.d.ts': typesOf(declaration),
    'handlers.ts': writeHandlers(parts),
    'agent.test.ts': TEST,
  }
  const settings = [...agentVariables(parts), ...secretVariables(parts)].map(variable => `# ${variable}=\n`)
  return [
    ...files.map(({ path, text }) => ({
      path,
      text:
        written[path] ??
        (path === '.env.example' ? `${text}\n# Of the flow that this was.\n${settings.join('')}` : text),
    })),
    { path: 'agents.ts', text: writeAgents(parts, endpoints) },
    { path: 'flow-values.ts', text: await fillTemplate('flow-values.ts', {}) },
  ]
}

function agentVariables({ graph, names }: CodeParts): readonly string[] {
  return agentsOf(graph.flow, names).map(({ variable }) => variable)
}

function secretVariables({ graph, names }: CodeParts): readonly string[] {
  return Object.entries(graph.flow.steps).flatMap(([id, { secret = [] }]) =>
    secret.map(port => names.secretVariable(id, port)),
  )
}

function agentsOf(flow: Flow, names: FlowNames) {
  const ids = new Set(Object.values(flow.steps).flatMap(step => (step.kind === 'job' ? [step.agent_id] : [])))
  return [...ids].map(id => ({ id, name: names.agent(id), variable: names.agentVariable(id) }))
}

function writeAgents({ graph, names }: CodeParts, endpoints: ReadonlyMap<number, string>): string {
  const rows = agentsOf(graph.flow, names).map(({ id, name, variable }) => {
    const known = endpoints.get(id)
    const fallback = known === undefined ? `missing(${stringLiteral(variable)})` : stringLiteral(known)
    return `  /** Agent ${id}. */\n  ${name}: process.env[${stringLiteral(variable)}] ?? ${fallback},\n`
  })
  const missing = rows.some(row => row.includes('missing('))
    ? `
function missing(variable: string): never {
  throw new Error(\`\${variable} is not set: where is that agent?\`)
}
`
    : ''
  return `/** Base URLs of the agents that are hired. */\nexport const AGENTS = {\n${rows.join('')}}\n${missing}`
}

const TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from 'farebox'

test('the declaration can be served', async () => {
  const { capabilities } = await readConfig('agent.json')
  assert.deepEqual(Object.keys(capabilities), ['${CAPABILITY}'])
})
`
